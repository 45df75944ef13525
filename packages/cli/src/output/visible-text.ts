export interface VisibleOptions {
  /** Longest result in chars of the text, before anything is made visible; more is cut and ends in `…`. Absent: no bound. */
  readonly maxLength?: number;
}

/**
 * What moves, hides or re-orders text: control chars (C0, DEL, C1), format chars (bidi overrides, zero width, soft hyphen,
 * byte order mark, tags), line and paragraph separators, lone surrogates, and all that Unicode wants left undrawn (fillers,
 * variation selectors, reserved code points) but for the two selectors that many an emoji ends in.
 */
const INVISIBLE = /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const FIRST_CONTROL_PICTURE = 0x2400;
const DELETE = 0x7f;
const DELETE_PICTURE = "␡";
const LAST_C0 = 0x1f;
const ELLIPSIS = "…";

/**
 * The text as it may go to a terminal: whatever could drive it, line breaks included, is written out (`␛`, `␊`, `\u202e`).
 * All else stays as it is.
 */
export function visible(text: string, { maxLength }: VisibleOptions = {}): string {
  const shown = maxLength === undefined || text.length <= maxLength ? text : cut(text, maxLength);
  return shown.replace(INVISIBLE, writtenOut);
}

/** Cuts between chars: half a surrogate pair would be shown as an escape that the text does not have. */
function cut(text: string, maxLength: number): string {
  const end = Math.max(0, maxLength - ELLIPSIS.length);
  const isInsidePair =
    /[\ud800-\udbff]/.test(text.charAt(end - 1)) && /[\udc00-\udfff]/.test(text.charAt(end));
  return text.slice(0, isInsidePair ? end - 1 : end) + ELLIPSIS;
}

function writtenOut(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code <= LAST_C0) {
    return String.fromCharCode(FIRST_CONTROL_PICTURE + code);
  }
  return code === DELETE ? DELETE_PICTURE : escaped(char);
}

/** The char as JSON and JavaScript escape it, `\uXXXX` by UTF-16 unit. */
function escaped(char: string): string {
  return Array.from({ length: char.length }, (_, at) => `\\u${hexUnit(char.charCodeAt(at))}`).join("");
}

function hexUnit(unit: number): string {
  return unit.toString(16).padStart(4, "0");
}

/** For text that is JSON already: the same value, with every char escaped that could drive a terminal. */
export function escapeInvisible(json: string): string {
  return json.replace(INVISIBLE, escaped);
}
