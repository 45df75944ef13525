import { ERROR_CODES, EXIT } from "../../packages/cli/src/errors.ts";
import { REFUSAL_CODES } from "../../packages/protocol/src/index.ts";
import { PUBLIC_ERRORS, type PublicError } from "../../packages/relay-server/src/ingress/public-errors.ts";
import {
  CLI_ERROR_TEXTS,
  EXIT_TEXTS,
  REFUSAL_TEXTS,
  RELAY_ERROR_TEXTS,
  type ErrorText,
} from "./error-texts.ts";

/** docs/errors.md, from the tables that the programs themselves use. */
export function renderErrorReference(): string {
  return `${[
    "# Errors",
    "Made from the error tables by `npm run docs`; the tests compare. Codes are stable, the words around them are not.",
    "## Exit codes",
    table(["exit code", "means"], Object.values(EXIT).map(exitRow)),
    "## Errors of `tunnel`",
    "On stderr, or with `--json` as one `error` object on stdout.",
    table(["code", "exit code", "when", "what to do"], cliRows()),
    "## Answers of the relay",
    'What a sender of webhooks gets from the relay itself, as `{"error":{"code","message","hint"}}`.',
    table(["code", "status", "what happened", "what to do", "Retry-After"], answerRows()),
    "## Refusals",
    "Why a relay sends an agent away. All are final: the agent ends with exit code 4.",
    table(["code", "when", "what to do"], REFUSAL_CODES.map(refusalRow)),
    "## What keeps a relay from starting",
    table(["code", "when", "what to do"], textRows(RELAY_ERROR_TEXTS)),
  ].join("\n\n")}\n`;
}

function exitRow(code: keyof typeof EXIT_TEXTS): string[] {
  return [String(code), EXIT_TEXTS[code]];
}

function cliRows(): string[][] {
  const exits: Record<string, number> = { ...ERROR_CODES, bug: EXIT.bug };
  return Object.entries(CLI_ERROR_TEXTS)
    .map(([code, text]) => [mono(code), String(exits[code]), text.when, text.remedy])
    .sort((a, b) => Number(a[1]) - Number(b[1]));
}

function answerRows(): string[][] {
  return Object.entries<PublicError>(PUBLIC_ERRORS)
    .map(([code, { status, message, hint, retryAfterSeconds }]) => [
      mono(code),
      String(status),
      message,
      hint,
      retryAfterSeconds === undefined ? "" : `${retryAfterSeconds} s`,
    ])
    .sort((a, b) => Number(a[1]) - Number(b[1]));
}

function refusalRow(code: (typeof REFUSAL_CODES)[number]): string[] {
  return [mono(code), REFUSAL_TEXTS[code].when, REFUSAL_TEXTS[code].remedy];
}

function textRows(texts: Record<string, ErrorText>): string[][] {
  return Object.entries(texts).map(([code, { when, remedy }]) => [mono(code), when, remedy]);
}

function mono(code: string): string {
  return `\`${code}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows].map(
    (cells) => `| ${cells.map(escapeCell).join(" | ")} |`,
  );
  return lines.join("\n");
}

/** A bar would end the cell; an angle bracket outside of code would start a tag. */
function escapeCell(text: string): string {
  return text
    .split(/(`[^`]*`)/u)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll("<", "&lt;")))
    .join("")
    .replaceAll("|", "\\|");
}
