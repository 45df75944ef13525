import { describe, expect, it } from "vitest";
import { parseCount, parsePort, parseSeconds } from "./parse-number.ts";

describe("parsePort", () => {
  it.each([
    ["0", 0],
    ["8787", 8787],
    ["65535", 65_535],
  ])("reads %s", (text, port) => {
    expect(parsePort(text)).toBe(port);
  });

  it.each(["65536", "-1", "abc", "", "80.5", "0x50", "1e3", " 80"])("refuses %j", (text) => {
    expect(() => parsePort(text)).toThrow(expect.objectContaining({ code: "bad-port", exitCode: 2 }));
  });
});

describe("parseSeconds", () => {
  it.each([
    ["30", 30_000],
    ["2.5", 2_500],
    ["3s", 3_000],
    ["0.001", 1],
  ])("reads %s as %i ms", (text, ms) => {
    expect(parseSeconds(text)).toBe(ms);
  });

  it.each(["0", "-1", "abc", "", "1m", "86401", "Infinity", "0.0001"])("refuses %j", (text) => {
    expect(() => parseSeconds(text)).toThrow(expect.objectContaining({ code: "usage", exitCode: 2 }));
  });
});

describe("parseCount", () => {
  it("takes both bounds", () => {
    expect([parseCount("1", 1, 10), parseCount("10", 1, 10)]).toEqual([1, 10]);
  });

  it.each(["0", "11", "1.5", "ten", "", "99999999999999999999"])("refuses %j between 1 and 10", (text) => {
    expect(() => parseCount(text, 1, 10)).toThrow(expect.objectContaining({ code: "usage" }));
  });
});
