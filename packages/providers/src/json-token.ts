/** What the functions of this file return for "not JSON here". */
export const MALFORMED = -1;

export const JSON_BYTE = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  backslash: 0x5c,
  openArray: 0x5b,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

const PAST_END = -1;
const FIRST_PRINTABLE = 0x20;
const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const ZERO = 0x30;
const SMALL_U = 0x75;
const HEX_DIGITS_OF_ESCAPE = 4;
const TRUE = new TextEncoder().encode("true");
const FALSE = new TextEncoder().encode("false");
const NULL = new TextEncoder().encode("null");

/** The first position at or after `at` that holds no JSON white space; at most the length. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let position = at;
  while (isSpace(byteAt(bytes, position))) {
    position += 1;
  }
  return position;
}

/**
 * The position after the string that starts at `at`, by RFC 8259 §7; MALFORMED when there is none. Bytes above 0x7f are
 * not checked: a decoder turns bad UTF-8 into U+FFFD, which `JSON.parse` accepts.
 */
export function stringEnd(bytes: Uint8Array, at: number): number {
  if (byteAt(bytes, at) !== JSON_BYTE.quote) {
    return MALFORMED;
  }
  let position = at + 1;
  for (;;) {
    const byte = byteAt(bytes, position);
    if (byte === JSON_BYTE.quote) {
      return position + 1;
    }
    if (byte < FIRST_PRINTABLE) {
      return MALFORMED;
    }
    position = byte === JSON_BYTE.backslash ? escapeEnd(bytes, position) : position + 1;
    if (position === MALFORMED) {
      return MALFORMED;
    }
  }
}

/** The position after the number, `true`, `false` or `null` that starts at `at`; MALFORMED when there is none. */
export function atomEnd(bytes: Uint8Array, at: number): number {
  const literal = literalFor(byteAt(bytes, at));
  if (literal === undefined) {
    return numberEnd(bytes, at);
  }
  return literal.every((byte, offset) => byteAt(bytes, at + offset) === byte)
    ? at + literal.length
    : MALFORMED;
}

function literalFor(first: number): Uint8Array | undefined {
  switch (first) {
    case TRUE[0]:
      return TRUE;
    case FALSE[0]:
      return FALSE;
    case NULL[0]:
      return NULL;
    default:
      return undefined;
  }
}

function escapeEnd(bytes: Uint8Array, backslashAt: number): number {
  const kind = byteAt(bytes, backslashAt + 1);
  if (kind !== SMALL_U) {
    return isShortEscape(kind) ? backslashAt + 2 : MALFORMED;
  }
  const end = backslashAt + 2 + HEX_DIGITS_OF_ESCAPE;
  for (let position = backslashAt + 2; position < end; position += 1) {
    if (!isHexDigit(byteAt(bytes, position))) {
      return MALFORMED;
    }
  }
  return end;
}

function numberEnd(bytes: Uint8Array, at: number): number {
  let position = byteAt(bytes, at) === MINUS ? at + 1 : at;
  position = byteAt(bytes, position) === ZERO ? position + 1 : digitsEnd(bytes, position);
  if (position !== MALFORMED && byteAt(bytes, position) === DOT) {
    position = digitsEnd(bytes, position + 1);
  }
  if (position !== MALFORMED && isExponentMark(byteAt(bytes, position))) {
    const sign = byteAt(bytes, position + 1);
    position = digitsEnd(bytes, sign === PLUS || sign === MINUS ? position + 2 : position + 1);
  }
  return position;
}

/** One digit or more. */
function digitsEnd(bytes: Uint8Array, at: number): number {
  let position = at;
  while (isDigit(byteAt(bytes, position))) {
    position += 1;
  }
  return position === at ? MALFORMED : position;
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? PAST_END;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 0x39;
}

function isHexDigit(byte: number): boolean {
  const lowerCase = byte | 0x20;
  return isDigit(byte) || (byte !== PAST_END && lowerCase >= 0x61 && lowerCase <= 0x66);
}

function isExponentMark(byte: number): boolean {
  return byte === 0x65 || byte === 0x45;
}

function isShortEscape(byte: number): boolean {
  return byte !== PAST_END && '"\\/bfnrt'.includes(String.fromCharCode(byte));
}
