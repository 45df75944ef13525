import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeInvisible, visible } from "./visible-text.ts";

const DRIVES_A_TERMINAL = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;

describe("visible", () => {
  it.each([
    ["an escape sequence", "\u001b[2Jhi", "␛[2Jhi"],
    ["line breaks and tabs", "a\r\n\tb", "a␍␊␉b"],
    ["NUL and DEL", "\u0000\u007f", "␀␡"],
    ["a C1 control, which is an escape sequence to some terminals", "\u009b31m", "\\u009b31m"],
    ["bidi overrides", "user\u202egpj.exe", "user\\u202egpj.exe"],
    ["zero width chars and the byte order mark", "a\u200bb\ufeffc\u200d", "a\\u200bb\\ufeffc\\u200d"],
    ["soft hyphens and line separators", "a\u00adb\u2028c", "a\\u00adb\\u2028c"],
    ["invisible tags beyond the BMP", "a\u{e0041}", "a\\udb40\\udc41"],
    ["letters without a shape", "a\u3164b\uffa0", "a\\u3164b\\uffa0"],
    ["code points that are kept for more of them", "a\u2065\u{e0fff}", "a\\u2065\\udb43\\udfff"],
    ["lone surrogates", "a\ud800b\udc00", "a\\ud800b\\udc00"],
  ])("writes out %s", (_what, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it("leaves all else alone: accents, other scripts, emoji, backslashes", () => {
    const text = "Grüße, 你好, שלום, 🎉 ❤️ \\n €";
    expect(visible(text)).toBe(text);
  });

  it("cuts a long text, and never in the middle of a char", () => {
    expect(visible("abcdef", { maxLength: 6 })).toBe("abcdef");
    expect(visible("abcdefg", { maxLength: 6 })).toBe("abcde…");
    expect(visible("abcd🎉xyz", { maxLength: 6 })).toBe("abcd…");
  });

  it("leaves nothing that drives a terminal, whatever comes in", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(20), (text, maxLength) => {
        expect(visible(text)).not.toMatch(DRIVES_A_TERMINAL);
        expect(visible(text)).not.toMatch(/\p{Cs}/u);
        expect(visible(text, { maxLength }).length).toBeLessThanOrEqual(
          Math.max(1, maxLength) * "\\udb40\\udc41".length,
        );
      }),
    );
  });
});

describe("escapeInvisible", () => {
  it("changes no value of a JSON text, and leaves nothing in it that drives a terminal", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const json = escapeInvisible(JSON.stringify({ text }));
        expect(JSON.parse(json)).toEqual({ text });
        expect(json).not.toMatch(DRIVES_A_TERMINAL);
      }),
    );
  });
});
