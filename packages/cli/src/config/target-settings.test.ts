import { describe, expect, it } from "vitest";
import { parseHostHeader, parseIdempotencyHeader } from "./target-settings.ts";

describe("parseIdempotencyHeader", () => {
  it("is none without the flag, the usual name for the bare flag, else the name as spelled", () => {
    expect(parseIdempotencyHeader(undefined)).toBe(null);
    expect(parseIdempotencyHeader(true)).toBe("X-Idempotency-Key");
    expect(parseIdempotencyHeader("idempotency-KEY")).toBe("idempotency-KEY");
  });

  it.each(["", "a b", "a:b", "x\r\ny", "Host", "content-length"])("refuses %j", (name) => {
    expect(() => parseIdempotencyHeader(name)).toThrow(expect.objectContaining({ code: "usage" }));
  });
});

describe("parseHostHeader", () => {
  it("knows preserve, rewrite and values", () => {
    expect(parseHostHeader("preserve")).toBe("preserve");
    expect(parseHostHeader("rewrite")).toBe("rewrite");
    expect(parseHostHeader("app.test:3000")).toEqual({ value: "app.test:3000" });
  });

  it.each(["", "a b", "a\r\nX: y"])("refuses %j", (text) => {
    expect(() => parseHostHeader(text)).toThrow(expect.objectContaining({ code: "usage" }));
  });
});
