import { CliError } from "../errors.ts";

const MAX_PORT = 65_535;
/** Longest time-out that a flag may set, in seconds: one day. */
const MAX_SECONDS = 86_400;
const MS_PER_SECOND = 1_000;

/**
 * Reads a port to listen on; 0 means any free one.
 *
 * @throws CliError `bad-port`
 */
export function parsePort(text: string): number {
  const port = wholeNumber(text);
  if (port === undefined || port > MAX_PORT) {
    throw new CliError(
      "bad-port",
      `"${text}" is not a port: it is a number from 0 (any free one) to ${MAX_PORT}.`,
      {
        hint: "Use for example --port 8787.",
      },
    );
  }
  return port;
}

/**
 * Reads a time in seconds, with or without a fraction and an `s`, as ms: `30` → 30000, `2.5s` → 2500. More than 0, at most
 * one day.
 *
 * @throws CliError `usage`
 */
export function parseSeconds(text: string): number {
  const match = /^([0-9]+(?:\.[0-9]+)?)s?$/.exec(text);
  const ms = Math.round(Number(match?.[1] ?? Number.NaN) * MS_PER_SECOND);
  if (!(ms >= 1 && ms <= MAX_SECONDS * MS_PER_SECOND)) {
    throw new CliError("usage", `"${text}" is not a time in seconds: more than 0, at most ${MAX_SECONDS}.`, {
      hint: "Use for example 30 or 2.5.",
    });
  }
  return ms;
}

/**
 * Reads a whole number between two bounds, both included.
 *
 * @throws CliError `usage`
 */
export function parseCount(text: string, min: number, max: number): number {
  const count = wholeNumber(text);
  if (count === undefined || count < min || count > max) {
    throw new CliError("usage", `"${text}" is not a whole number from ${min} to ${max}.`, {
      hint: `Give a whole number from ${min} to ${max}.`,
    });
  }
  return count;
}

function wholeNumber(text: string): number | undefined {
  const number = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}
