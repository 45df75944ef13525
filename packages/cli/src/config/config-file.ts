import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { homedir } from "node:os";
import { CliError } from "../errors.ts";
import { nearestName } from "../output/nearest-name.ts";
import { visible } from "../output/visible-text.ts";
import { parseJson } from "./json-text.ts";
import { readRelays, readSecrets } from "./config-secrets.ts";
import type { RelayTokens, SecretValues } from "./config-secrets.ts";
import { readFileValue, typeText } from "./setting-value.ts";
import type { SettingValue } from "./setting-value.ts";
import { IGNORED_KEYS, SETTINGS } from "./settings.ts";

/** In the project, or a folder above. */
const PROJECT_FILE = "tenfold.json";
/** Largest file, in bytes: far more than all settings take. */
const MAX_FILE_BYTES = 64 * 1024;
/** Rights of others and of the group. */
const OTHERS = 0o077;

type Environment = Readonly<Record<string, string | undefined>>;

type FileLayer = "project" | "user";

/** A file of settings, read and found right; what it says is only applied where a command has use for it. */
export interface ConfigFile {
  readonly layer: FileLayer;
  /** Absolute, as it may be shown. */
  readonly path: string;
  /** By key. */
  readonly values: ReadonlyMap<string, SettingValue>;
  readonly secrets: SecretValues;
  readonly relayTokens: RelayTokens;
}

interface ReadText {
  readonly text: string;
  readonly mode: number;
}

/**
 * The files that hold settings for the folder, the stronger first: `tenfold.json`, there or in the nearest folder above, and the
 * user's own, which `TENFOLD_CONFIG` may name.
 *
 * @throws CliError `bad-config`
 */
export function loadConfigFiles(env: Environment, cwd: string): readonly ConfigFile[] {
  return [findProjectFile(cwd), findUserFile(env, cwd)].filter((file) => file !== undefined);
}

function findProjectFile(cwd: string): ConfigFile | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const path = join(folder, PROJECT_FILE);
    const read = readText(path);
    if (read !== undefined) {
      return toConfigFile("project", path, read);
    }
    if (dirname(folder) === folder) {
      return undefined;
    }
  }
}

function findUserFile(env: Environment, cwd: string): ConfigFile | undefined {
  const named = env["TENFOLD_CONFIG"] ?? "";
  const path = named === "" ? defaultUserFile(env) : resolve(cwd, named);
  const read = readText(path);
  if (read === undefined && named !== "") {
    throw new CliError("bad-config", `TENFOLD_CONFIG names ${visible(path)}, which does not exist.`, {
      hint: "Make the file, or unset TENFOLD_CONFIG.",
    });
  }
  return read && toConfigFile("user", path, read);
}

/** XDG Base Directory Specification: a relative value is to be ignored. */
function defaultUserFile(env: Environment): string {
  const xdg = env["XDG_CONFIG_HOME"] ?? "";
  const folder = isAbsolute(xdg) ? xdg : join(env["HOME"] ?? homedir(), ".config");
  return join(folder, "tenfold", "config.json");
}

const ABSENT: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"]);

/** Undefined: there is no such file. */
function readText(path: string): ReadText | undefined {
  let file: number;
  try {
    // Without waiting for the other end of a pipe.
    file = openSync(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error) {
      if (ABSENT.has(String(error.code))) {
        return undefined;
      }
      throw unreadable(path, String(error.code), error);
    }
    throw error;
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) {
      throw unreadable(path, "it is not a regular file");
    }
    if (stat.size > MAX_FILE_BYTES) {
      throw unreadable(path, `it is larger than ${MAX_FILE_BYTES} bytes`);
    }
    return { text: readFileSync(file, "utf8").replace(/^\uFEFF/u, ""), mode: stat.mode };
  } finally {
    closeSync(file);
  }
}

function unreadable(path: string, why: string, cause?: unknown): CliError {
  return new CliError("bad-config", `The settings in ${visible(path)} can't be read: ${why}.`, {
    hint: "Give yourself the right to read it, or move it away.",
    cause,
  });
}

function toConfigFile(layer: FileLayer, rawPath: string, { text, mode }: ReadText): ConfigFile {
  const path = visible(rawPath);
  const json = parseJson(text, path);
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw new CliError("bad-config", `${path} is to hold an object, but it is ${typeText(json)}.`, {
      hint: 'Write for example {"target": 3000}.',
    });
  }
  const entries = Object.entries(json).filter(([key]) => !IGNORED_KEYS.has(key));
  for (const [key] of entries) {
    assertAllowed(key, layer, path);
  }
  const given = new Map<string, unknown>(entries);
  const file: ConfigFile = {
    layer,
    path,
    values: readValues(given, rawPath),
    secrets: readSecrets(given.get("secrets"), path, layer),
    relayTokens: readRelays(given.get("relays"), path),
  };
  assertPrivate(file, mode);
  return file;
}

/** @throws CliError `bad-config` for a key that nobody knows, or that this file may not have */
function assertAllowed(key: string, layer: FileLayer, path: string): void {
  const setting = SETTINGS.find((known) => known.key === key);
  if (setting === undefined) {
    const known = SETTINGS.filter(({ layers }) => layers.includes(layer)).map((one) => one.key);
    const near = known.find((name) => name.toLowerCase() === nearestName(key, known.map(lower)));
    const shown = visible(key, { maxLength: 40 });
    throw new CliError("bad-config", `"${shown}" in ${path} is no setting.`, {
      hint: near === undefined ? `Settings: ${known.join(", ")}.` : `Did you mean "${near}"?`,
    });
  }
  if (!setting.layers.includes(layer)) {
    throw new CliError(
      "bad-config",
      `"${key}" may not stand in ${path}: ${setting.refusal?.why ?? "it is for the command line only"}.`,
      { hint: setting.refusal?.hint ?? `Take "${key}" out.` },
    );
  }
}

function lower(text: string): string {
  return text.toLowerCase();
}

function readValues(given: ReadonlyMap<string, unknown>, path: string): ReadonlyMap<string, SettingValue> {
  const values = new Map<string, SettingValue>();
  for (const { key, kind } of SETTINGS) {
    if (given.has(key) && kind !== "secrets" && kind !== "relays") {
      values.set(key, readFileValue(kind, key, given.get(key), path));
    }
  }
  return values;
}

/** Windows has no such bits. */
function assertPrivate({ path, secrets, relayTokens }: ConfigFile, mode: number): void {
  const isSecret = relayTokens.size > 0 || [...secrets.values()].flat().some(({ isLiteral }) => isLiteral);
  if (isSecret && process.platform !== "win32" && (mode & OTHERS) !== 0) {
    const rights = (mode & 0o777).toString(8).padStart(4, "0");
    throw new CliError(
      "bad-config",
      `${path} holds a token or a secret, and others may read it or write it (mode ${rights}).`,
      { hint: `Keep it to yourself: chmod 600 '${path.replaceAll("'", String.raw`'\''`)}'` },
    );
  }
}
