import { randomUUID } from "node:crypto";
import { getHeader } from "./header-list.ts";
import type { FoundKey, HeaderList } from "./profile.ts";

/** Headers that carry a key for any sender, the stronger one first. */
export const KEY_HEADER_NAMES: readonly string[] = ["Idempotency-Key", "X-Idempotency-Key"];

const QUOTE = '"';

/**
 * The key in `Idempotency-Key`, else in `X-Idempotency-Key`; of several fields of one name the first counts, and an
 * empty one is no key. Its length is bounded by what the HTTP parser allows for headers.
 */
export function findHeaderKey(headers: HeaderList): FoundKey | undefined {
  for (const name of KEY_HEADER_NAMES) {
    const key = readHeaderKey(headers, name);
    if (key !== undefined) {
      return { key, location: { in: "header", name } };
    }
  }
  return undefined;
}

/** The key in the first field of that name, without the quotes that the IETF draft puts around it. */
export function readHeaderKey(headers: HeaderList, name: string): string | undefined {
  const value = trimSpace(getHeader(headers, name) ?? "");
  const key = isQuoted(value) ? value.slice(1, -1) : value;
  return key === "" ? undefined : key;
}

/** The new key written as the old value was: with quotes or without (draft-ietf-httpapi-idempotency-key-header). */
export function replaceHeaderKey(oldValue: string, newKey: string): string {
  return isQuoted(trimSpace(oldValue)) ? QUOTE + newKey + QUOTE : newKey;
}

/** A fresh key for a key header: a random UUID, which the IETF draft recommends. Never the old key. */
export function mintHeaderKey(oldKey: string): string {
  let key = oldKey;
  while (key === oldKey) {
    key = randomUUID();
  }
  return key;
}

function isQuoted(value: string): boolean {
  return value.length >= 2 && value.startsWith(QUOTE) && value.endsWith(QUOTE);
}

/** Space and tab only: `trim` would also take 0xa0, the last byte of many a UTF-8 char. */
function trimSpace(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isSpace(value.charCodeAt(start))) {
    start += 1;
  }
  while (end > start && isSpace(value.charCodeAt(end - 1))) {
    end -= 1;
  }
  return value.slice(start, end);
}

function isSpace(charCode: number): boolean {
  return charCode === 0x20 || charCode === 0x09;
}
