import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isUsableKey, mintPrefixedKey } from "./key-form.ts";

describe("the form of a key", () => {
  it.each(["evt_1NG8Du2eZvKYlo2CUI79vXWy", "a", "2f9c-11:x/y", "a".repeat(255)])("takes %s", (key) => {
    expect(isUsableKey(key)).toBe(true);
  });

  it.each(["", "a b", "a\r\nX-Admin: 1", 'a"b', "a\\b", "é", "\u0000", "a\n", "a".repeat(256)])(
    "refuses %j: it could not stand in a header",
    (key) => {
      expect(isUsableKey(key)).toBe(false);
    },
  );
});

describe("a minted key", () => {
  it("has the prefix and the length of the old one", () => {
    expect(mintPrefixedKey("evt_1NG8Du2eZvKYlo2CUI79vXWy")).toMatch(/^evt_[0-9A-Za-z]{24}$/);
    expect(mintPrefixedKey("evt_test_65R9Ijk8dKEYZcXeRWn16R9A7j1FSQ3w3TGDPLLGSM4CW0")).toMatch(
      /^evt_test_[0-9A-Za-z]{46}$/,
    );
  });

  it("is longer than a fixture's short id, so that fresh keys don't meet", () => {
    const minted = Array.from({ length: 2000 }, () => mintPrefixedKey("evt_1"));
    expect(new Set(minted).size).toBe(2000);
    expect(minted[0]).toMatch(/^evt_[0-9A-Za-z]{12}$/);
  });

  it("is usable and never the old one, whatever that was", () => {
    const key = fc.string({ unit: fc.constantFrom(..."aZ0_-".split("")), minLength: 1, maxLength: 255 });
    fc.assert(
      fc.property(key.filter(isUsableKey), (oldKey) => {
        const minted = mintPrefixedKey(oldKey);
        expect(minted).not.toBe(oldKey);
        expect(isUsableKey(minted)).toBe(true);
      }),
    );
    expect(isUsableKey(mintPrefixedKey(`${"a".repeat(254)}_`))).toBe(true);
  });
});
