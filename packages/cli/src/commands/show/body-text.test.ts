import { describe, expect, it } from "vitest";
import { sampleBody } from "../../history/testing/sample-records.ts";
import { bodyLines } from "./body-text.ts";

describe("a body that is text", () => {
  it("is shown line by line, with control characters made visible", () => {
    const lines = bodyLines(sampleBody('{\n\t"name": "\u001b[2Jzürich"\r\n}'));
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/^\t"name": ".*zürich/u);
    for (const control of ["\u001b", "\r"]) expect(lines.join("")).not.toContain(control);
  });

  it("is nothing when it is empty", () => {
    expect(bodyLines(sampleBody(""))).toEqual([]);
  });

  it("is cut at 4 KiB between two characters, and says so", () => {
    const lines = bodyLines(sampleBody(`x${"ü".repeat(3_000)}`));
    expect(lines[0]).toBe(`x${"ü".repeat(2_047)}`);
    expect(lines[1]).toContain("showing 4096 of 6001 bytes");
  });

  it("stays text when the capture ended within a character", () => {
    const bytes = new TextEncoder().encode("zü").subarray(0, 2);
    expect(bodyLines({ bytes, size: 900, truncated: true })).toEqual([
      "z",
      "(the history holds the first 2 of 900 bytes)",
    ]);
  });
});

describe("any other body", () => {
  it.each([
    [
      "no UTF-8",
      Uint8Array.of(0x41, 0xff, 0x1b),
      "00000000  41 ff 1b                                         A..",
    ],
    [
      "with a NUL",
      Uint8Array.of(0x41, 0x00),
      "00000000  41 00                                            A.",
    ],
  ])("is a hex dump: %s", (_, bytes, line) => {
    expect(bodyLines(sampleBody(bytes))).toEqual([line]);
  });

  it("is cut after 256 bytes, and says so", () => {
    const lines = bodyLines(sampleBody(new Uint8Array(1_000)));
    expect(lines).toHaveLength(17);
    expect(lines[15]).toMatch(/^000000f0 /u);
    expect(lines[16]).toContain("showing 256 of 1000 bytes");
  });
});
