import { dirname, resolve } from "node:path";
import { toRelayEndpoint } from "../agent/relay-endpoint.ts";
import { CliError } from "../errors.ts";
import { parseTarget } from "../forward/parse-target.ts";
import { visible } from "../output/visible-text.ts";
import { parseProbeSpec } from "../probes/probe-spec.ts";
import type { SettingKind } from "./settings.ts";
import { parseIdempotencyHeader } from "./target-settings.ts";

/** Kinds with one value; the others are objects, which `config-file.ts` reads. */
export type PlainKind = Exclude<SettingKind, "secrets" | "relays">;
/** As the command line would have it; true: a flag without its value. */
export type SettingValue = string | true;

interface KindRule {
  /** What a file has to hold, for "is to be …". */
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
  /** In a file: relative paths are relative to it. */
  readonly inFile?: (text: string, path: string) => string;
  /** What the command would refuse later, without knowing where the value came from. @throws CliError */
  readonly check?: (text: string, cwd: string) => unknown;
}

const MAX_SHOWN_CHARS = 60;
const SQLITE_FILE = /^(sqlite:)(.+)$/isu;
const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isNumber = (value: unknown): boolean => typeof value === "number";

const KINDS: Readonly<Record<PlainKind, KindRule>> = {
  text: { expected: "a text", accepts: isText },
  number: { expected: "a number", accepts: isNumber },
  seconds: { expected: "a number of seconds", accepts: isNumber },
  relay: { expected: "a URL as text", accepts: isText, check: toRelayEndpoint },
  target: {
    expected: "a port or a URL",
    accepts: (value) => isText(value) || isNumber(value),
    check: parseTarget,
  },
  file: {
    expected: "a file name",
    accepts: isText,
    inFile: (text, path) => resolve(dirname(path), text),
  },
  probe: {
    expected: "a text like sqlite:app.db",
    accepts: isText,
    inFile: (text, path) =>
      text.replace(SQLITE_FILE, (_all, kind: string, file: string) => kind + resolve(dirname(path), file)),
    check: parseProbeSpec,
  },
  header: {
    expected: "the name of a header, or true",
    accepts: (value) => isText(value) || value === true,
    check: parseIdempotencyHeader,
  },
};

/**
 * Reads the value of a key in a file.
 *
 * @param path of the file
 * @throws CliError `bad-config` for a value of the wrong type
 */
export function readFileValue(kind: PlainKind, key: string, value: unknown, path: string): SettingValue {
  const { expected, accepts, inFile } = KINDS[kind];
  if (!accepts(value)) {
    throw wrongType(key, path, expected, jsonText(value));
  }
  if (value === true) {
    return true;
  }
  const text = String(value);
  return inFile?.(text, path) ?? text;
}

/** @throws CliError with the code of what is wrong */
export function checkValue(kind: PlainKind, value: SettingValue, cwd: string): void {
  if (value !== true) {
    KINDS[kind].check?.(value, cwd);
  }
}

export function wrongType(key: string, path: string, expected: string, got: string): CliError {
  return new CliError("bad-config", `"${visible(key)}" in ${path} is to be ${expected}, but it is ${got}.`, {
    hint: `Write ${expected} there, or take "${visible(key)}" out.`,
  });
}

/** A value for a message: `"ten" (text)`. */
function jsonText(value: unknown): string {
  return `${visible(JSON.stringify(value), { maxLength: MAX_SHOWN_CHARS })} (${typeText(value)})`;
}

/** The same without the value, which may be a secret. */
export function typeText(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value === "") return "empty";
  return { string: "text", number: "a number", boolean: "true or false", object: "an object" }[
    typeof value as "string" | "number" | "boolean" | "object"
  ];
}
