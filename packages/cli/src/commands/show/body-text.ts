import type { CapturedBody } from "../../history/history-store.ts";
import { visible } from "../../output/visible-text.ts";

/** Bytes of a text that are shown: a few screens. */
const MAX_TEXT_BYTES = 4 * 1024;
/** Bytes of anything else that are shown: 16 lines. */
const MAX_HEX_BYTES = 256;
const BYTES_A_LINE = 16;
const HEX_COLUMNS = BYTES_A_LINE * 3 - 1;
const OFFSET_DIGITS = 8;

/** The body as lines for a terminal: text as it stands, else a hex dump of its beginning, then how much of it is left out. */
export function bodyLines(body: CapturedBody): string[] {
  const { bytes, size } = body;
  const isShownAsText = isText(body);
  const shown = bytes.subarray(0, isShownAsText ? MAX_TEXT_BYTES : MAX_HEX_BYTES);
  const lines = isShownAsText ? textLines(shown) : hexLines(shown);
  if (body.truncated) {
    lines.push(`(the history holds the first ${bytes.length} of ${size} bytes)`);
  }
  if (shown.length < bytes.length) {
    lines.push(`(showing ${shown.length} of ${size} bytes; all stored ones with --raw)`);
  }
  return lines;
}

/** UTF-8 without a NUL, which no text has. The end of a truncated body may be within a char. */
function isText({ bytes, truncated }: CapturedBody): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: truncated });
    return !bytes.includes(0);
  } catch (error) {
    if (error instanceof TypeError) {
      return false;
    }
    throw error;
  }
}

function textLines(bytes: Uint8Array): string[] {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
  return text === "" ? [] : text.split("\n").map(visibleLine);
}

/** Tabs stay, because they can't do harm and indent. */
function visibleLine(line: string): string {
  return line
    .split("\t")
    .map((part) => visible(part))
    .join("\t");
}

function hexLines(bytes: Uint8Array): string[] {
  const count = Math.ceil(bytes.length / BYTES_A_LINE);
  return Array.from({ length: count }, (_, index) => {
    const offset = index * BYTES_A_LINE;
    const line = bytes.subarray(offset, offset + BYTES_A_LINE);
    const hex = Array.from(line, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = Array.from(line, (byte) => (isPrintable(byte) ? String.fromCharCode(byte) : ".")).join("");
    return `${offset.toString(16).padStart(OFFSET_DIGITS, "0")}  ${hex.padEnd(HEX_COLUMNS)}  ${text}`;
  });
}

function isPrintable(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f;
}
