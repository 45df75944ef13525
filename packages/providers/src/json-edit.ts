import { atomEnd, JSON_BYTE, MALFORMED, skipSpace, stringEnd } from "./json-token.ts";

/**
 * Longest body that is scanned, in bytes (16 MiB). Above the capture limit of 10 MiB, so every captured body is read,
 * and low enough that a body of the usual shape is read in about half a second.
 */
export const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** Deepest nesting that is scanned, in levels: webhooks stay below 30, and a stack entry costs memory. */
export const MAX_JSON_DEPTH = 1024;

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;
const OFF_PATH = -1;
const QUOTES_LENGTH = 2;

/** One for all, as it keeps no state between whole texts. Without `ignoreBOM` a U+FEFF in a key could go missing. */
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** Where a value stands: from its first byte up to, not including, `end`. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the value that stands at a path of object keys, without changing or copying a byte. Agrees with `JSON.parse`:
 * of duplicate keys the last wins on every level, and keys may be written with escapes. A leading byte order mark is
 * skipped.
 *
 * @returns undefined when nothing stands there, or when the bytes are not JSON, longer than MAX_JSON_BYTES or nested
 * deeper than MAX_JSON_DEPTH. Never throws.
 */
export function findJsonValue(bytes: Uint8Array, path: readonly string[]): JsonSpan | undefined {
  return bytes.length > MAX_JSON_BYTES ? undefined : new PathScan(bytes, path).run();
}

/** The string that stands at a path of object keys; undefined for anything else. Never throws. */
export function readJsonString(bytes: Uint8Array, path: readonly string[]): string | undefined {
  const span = findJsonValue(bytes, path);
  return span !== undefined && isString(bytes, span) ? decodeString(bytes, span) : undefined;
}

/**
 * Replaces the one string token at a path of object keys. All bytes before and after it stay as they are, wherever else
 * the same text may stand.
 *
 * @returns undefined when no string stands there. Never throws.
 */
export function replaceJsonString(
  bytes: Uint8Array,
  path: readonly string[],
  value: string,
): Uint8Array | undefined {
  const span = findJsonValue(bytes, path);
  if (span === undefined || !isString(bytes, span)) {
    return undefined;
  }
  const token = encode(JSON.stringify(value));
  const edited = new Uint8Array(span.start + token.length + bytes.length - span.end);
  edited.set(bytes.subarray(0, span.start));
  edited.set(token, span.start);
  edited.set(bytes.subarray(span.end), span.start + token.length);
  return edited;
}

interface Container {
  readonly isObject: boolean;
  readonly start: number;
  /** Segments of the path that lead here, or OFF_PATH. */
  readonly matched: number;
  isEmpty: boolean;
}

/** One pass over a document. Keeps its own stack, so that nesting can't exhaust the one of the process. */
class PathScan {
  readonly #bytes: Uint8Array;
  readonly #path: readonly string[];
  readonly #plainKeys: readonly (Uint8Array | undefined)[];
  readonly #open: Container[] = [];
  #found: JsonSpan | undefined;

  constructor(bytes: Uint8Array, path: readonly string[]) {
    this.#bytes = bytes;
    this.#path = path;
    this.#plainKeys = path.map(toPlainBytes);
  }

  run(): JsonSpan | undefined {
    let at = this.#value(skipSpace(this.#bytes, markLength(this.#bytes)), 0);
    for (let top = this.#open.at(-1); top !== undefined && at !== MALFORMED; top = this.#open.at(-1)) {
      at = this.#step(skipSpace(this.#bytes, at), top);
    }
    const isWhole = at !== MALFORMED && skipSpace(this.#bytes, at) === this.#bytes.length;
    return isWhole ? this.#found : undefined;
  }

  /** Reads the next member or element of the innermost open container, or its end. */
  #step(at: number, container: Container): number {
    const byte = this.#bytes[at];
    if (byte === (container.isObject ? JSON_BYTE.closeObject : JSON_BYTE.closeArray)) {
      this.#open.pop();
      this.#note(container.start, at + 1, container.matched);
      return at + 1;
    }
    if (!container.isEmpty && byte !== JSON_BYTE.comma) {
      return MALFORMED;
    }
    const next = container.isEmpty ? at : skipSpace(this.#bytes, at + 1);
    container.isEmpty = false;
    return container.isObject ? this.#member(next, container.matched) : this.#value(next, OFF_PATH);
  }

  #member(keyStart: number, matchedBefore: number): number {
    const keyEnd = stringEnd(this.#bytes, keyStart);
    if (keyEnd === MALFORMED) {
      return MALFORMED;
    }
    const matched = this.#isNextKey(matchedBefore, keyStart, keyEnd) ? matchedBefore + 1 : OFF_PATH;
    if (matched !== OFF_PATH) {
      // A later duplicate replaces the earlier value and all that was found in it.
      this.#found = undefined;
    }
    const colon = skipSpace(this.#bytes, keyEnd);
    return this.#bytes[colon] === JSON_BYTE.colon
      ? this.#value(skipSpace(this.#bytes, colon + 1), matched)
      : MALFORMED;
  }

  #value(start: number, matched: number): number {
    const byte = this.#bytes[start];
    if (byte === JSON_BYTE.openObject || byte === JSON_BYTE.openArray) {
      return this.#enter(start, byte === JSON_BYTE.openObject, matched);
    }
    const end = byte === JSON_BYTE.quote ? stringEnd(this.#bytes, start) : atomEnd(this.#bytes, start);
    this.#note(start, end, matched);
    return end;
  }

  #enter(start: number, isObject: boolean, matched: number): number {
    if (this.#open.length === MAX_JSON_DEPTH) {
      return MALFORMED;
    }
    this.#open.push({ isObject, start, matched, isEmpty: true });
    return start + 1;
  }

  #note(start: number, end: number, matched: number): void {
    if (matched === this.#path.length) {
      this.#found = { start, end };
    }
  }

  #isNextKey(matched: number, start: number, end: number): boolean {
    const wanted = matched === OFF_PATH ? undefined : this.#path[matched];
    if (wanted === undefined) {
      return false;
    }
    const plain = this.#plainKeys[matched];
    if (plain !== undefined && isKeyWritten(this.#bytes, start, end, plain)) {
      return true;
    }
    return hasEscape(this.#bytes, start, end) && decodeString(this.#bytes, { start, end }) === wanted;
  }
}

/** Compares in place: a view for each key of a large object would cost more than the scan. */
function isKeyWritten(bytes: Uint8Array, start: number, end: number, plain: Uint8Array): boolean {
  if (end - start !== plain.length + QUOTES_LENGTH) {
    return false;
  }
  for (let offset = 0; offset < plain.length; offset += 1) {
    if (bytes[start + 1 + offset] !== plain[offset]) {
      return false;
    }
  }
  return true;
}

function hasEscape(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    if (bytes[at] === JSON_BYTE.backslash) {
      return true;
    }
  }
  return false;
}

function isString(bytes: Uint8Array, span: JsonSpan): boolean {
  return bytes[span.start] === JSON_BYTE.quote;
}

/** Only for a span that the scan has found to be a well-formed string: then `JSON.parse` can't throw. */
function decodeString(bytes: Uint8Array, span: JsonSpan): string {
  return String(JSON.parse(DECODER.decode(bytes.subarray(span.start, span.end))));
}

/** The key as it is written without escapes; undefined for one that has no such spelling (a lone surrogate). */
function toPlainBytes(key: string): Uint8Array | undefined {
  const bytes = encode(key);
  return DECODER.decode(bytes) === key ? bytes : undefined;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function markLength(bytes: Uint8Array): number {
  return BYTE_ORDER_MARK.every((byte, offset) => bytes[offset] === byte) ? BYTE_ORDER_MARK.length : 0;
}
