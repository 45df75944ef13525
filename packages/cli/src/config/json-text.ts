import { CliError } from "../errors.ts";

/** What may come next, in words for the error. */
const EXPECTED = {
  value: "a value",
  valueOrEnd: 'a value or "]"',
  key: "a key in double quotes",
  keyOrEnd: 'a key in double quotes or "}"',
  colon: '":"',
  commaOrEnd: '"," or the closing bracket',
  end: "the end of the file",
} as const;
type Need = keyof typeof EXPECTED;

const BLANK = /[ \t\r\n]*/uy;
// A string has no control character below U+0020; \p{Cc} also has U+007F to U+009F, which it may have.
const TOKEN =
  /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-f]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null|[{}[\],:]/iuy;

/**
 * Reads JSON (RFC 8259); `path` is for the message.
 *
 * @throws CliError `bad-config` with the file, the line and the column (from 1) where it stops being JSON
 */
export function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
    const { offset, need } = findFault(text);
    const before = text.slice(0, offset).split("\n");
    const column = (before.at(-1) ?? "").length + 1;
    throw new CliError(
      "bad-config",
      `${path}, line ${before.length}, column ${column}: this is not JSON; ${EXPECTED[need]} should be here.`,
      { hint: "Mend it there. JSON has no comments, no commas after the last item, and no single quotes." },
    );
  }
}

/** The first place that no JSON can have. Says it itself, since the words of `JSON.parse` change from one Node to the next. */
function findFault(text: string): { readonly offset: number; readonly need: Need } {
  const open: string[] = [];
  let need: Need = "value";
  let offset = 0;
  for (;;) {
    offset += matchAt(BLANK, text, offset).length;
    const token = matchAt(TOKEN, text, offset);
    const next: Need | undefined = token === "" ? undefined : takeToken(need, token, open);
    if (next === undefined) {
      return { offset, need };
    }
    need = next;
    offset += token.length;
  }
}

/** What is needed after the token; undefined: it may not stand here. `open` has the brackets that are open, and is kept up. */
function takeToken(need: Need, token: string, open: string[]): Need | undefined {
  const inObject = open.at(-1) === "{";
  switch (token) {
    case "{":
    case "[":
      if (need !== "value" && need !== "valueOrEnd") return undefined;
      open.push(token);
      return token === "{" ? "keyOrEnd" : "valueOrEnd";
    case "}":
    case "]":
      if (!mayClose(need, token, inObject)) return undefined;
      open.pop();
      return afterValue(open);
    case ",":
      if (need !== "commaOrEnd") return undefined;
      return inObject ? "key" : "value";
    case ":":
      return need === "colon" ? "value" : undefined;
    default:
      if (need === "key" || need === "keyOrEnd") return token.startsWith('"') ? "colon" : undefined;
      return need === "value" || need === "valueOrEnd" ? afterValue(open) : undefined;
  }
}

function mayClose(need: Need, token: string, inObject: boolean): boolean {
  if (need === "commaOrEnd") {
    return inObject === (token === "}");
  }
  return need === (token === "}" ? "keyOrEnd" : "valueOrEnd");
}

function afterValue(open: readonly string[]): Need {
  return open.length === 0 ? "end" : "commaOrEnd";
}

function matchAt(pattern: RegExp, text: string, offset: number): string {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0] ?? "";
}
