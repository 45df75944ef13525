import { randomInt } from "node:crypto";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * Fewest random chars of a minted key (about 71 bits). Hand-made fixtures carry ids like `evt_1`: a fresh one of that
 * length would soon meet an older one, and a good handler would be blamed for ignoring it.
 */
const MIN_RANDOM_CHARS = 12;

/** Longest key of a provider's own, in chars: what Stripe promises for its ids, and far above those of the others. */
const MAX_KEY_CHARS = 255;

/**
 * Keys of a provider's own are visible ASCII of at most MAX_KEY_CHARS, without quote and backslash: a key may go into a
 * header, where a line break from a JSON escape would become a header of its own.
 */
const USABLE_KEY = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Is the text fit to be a key of a provider's own? */
export function isUsableKey(key: string): boolean {
  return key.length <= MAX_KEY_CHARS && USABLE_KEY.test(key);
}

/**
 * A random key of the same form: what stands up to the last underscore stays (`evt_`, `evt_test_`), the rest becomes
 * as many random base62 chars, but at least MIN_RANDOM_CHARS. Never the old key.
 */
export function mintPrefixedKey(oldKey: string): string {
  const prefix = oldKey.slice(0, oldKey.lastIndexOf("_") + 1).slice(0, MAX_KEY_CHARS - MIN_RANDOM_CHARS);
  const length = Math.max(MIN_RANDOM_CHARS, oldKey.length - prefix.length);
  let key = oldKey;
  while (key === oldKey) {
    key = prefix + randomBase62(length);
  }
  return key;
}

function randomBase62(length: number): string {
  return Array.from({ length }, () => BASE62.charAt(randomInt(BASE62.length))).join("");
}
