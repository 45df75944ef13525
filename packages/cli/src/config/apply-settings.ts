import { toRelayEndpoint } from "../agent/relay-endpoint.ts";
import { CliError } from "../errors.ts";
import { loadConfigFiles } from "./config-file.ts";
import type { ConfigFile } from "./config-file.ts";
import { assertReferenceSet } from "./config-secrets.ts";
import { textsOption } from "./option-values.ts";
import type { OptionValues } from "./option-values.ts";
import { secretVariable } from "./secrets.ts";
import { checkValue } from "./setting-value.ts";
import type { PlainKind, SettingValue } from "./setting-value.ts";
import { SETTINGS } from "./settings.ts";
import type { Setting } from "./settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface SettingsContext {
  readonly env: Environment;
  readonly cwd: string;
}

/** An option that the command has. */
export interface OptionForm {
  /** Did the command line have it? */
  readonly isGiven: boolean;
  /** @throws CliError `usage` and the like */
  readonly parse: ((text: string, previous: unknown) => unknown) | undefined;
}

/** What a command line said, or what it says with all settings. */
export interface CommandInput {
  readonly command: string;
  readonly args: readonly (string | undefined)[];
  readonly options: OptionValues;
}

/** A value and where it comes from. */
interface Found {
  readonly value: SettingValue;
  /** 0 for the command line, more for weaker layers. */
  readonly rank: number;
  /** For messages: `TENFOLD_TIMES`, or `"times" in /shop/tenfold.json`. */
  readonly source: string;
  /** In a file, a wrong value is a wrong file. */
  readonly isFile: boolean;
}

/**
 * Fills in what the command line left out: from the environment, else from `tenfold.json`, else from the user's file. Options that
 * the command does not have are left out. `forms` are its options by commander's camel-case name.
 *
 * @throws CliError whose message names the variable, or the file and the key
 */
export function applySettings(
  input: CommandInput,
  forms: ReadonlyMap<string, OptionForm>,
  context: SettingsContext,
): CommandInput {
  const settings = SETTINGS.filter(({ commands }) => commands.includes(input.command));
  if (settings.length === 0) {
    return input;
  }
  const files = loadConfigFiles(context.env, context.cwd);
  const args = [...input.args];
  const options: Record<string, unknown> = { ...input.options };
  const plain = settings.filter((setting) => isPlain(setting));
  const found = new Map(plain.map((setting) => [setting.key, find(setting, context.env, files)]));
  for (const setting of plain) {
    const value = found.get(setting.key);
    if (value === undefined || isGiven(setting, input, forms) || isBeaten(setting, input, forms, found)) {
      continue;
    }
    const parsed = parsedValue(setting, value, forms.get(setting.option)?.parse, context.cwd);
    if (setting.argumentOf === input.command) {
      args[0] = value.value === true ? undefined : value.value;
    } else if (forms.has(setting.option)) {
      options[setting.option] = parsed;
    }
  }
  addRelayToken(options, forms, files);
  addSecrets(options, forms, files, context.env);
  return { command: input.command, args, options };
}

/** Is it said anywhere where deliveries go, so that plain `tunnel` can start? @throws CliError `bad-config` */
export function isTargetSet({ env, cwd }: SettingsContext): boolean {
  const target = SETTINGS.find(({ key }) => key === "target");
  return target !== undefined && find(target, env, loadConfigFiles(env, cwd)) !== undefined;
}

function isPlain(setting: Setting): setting is Setting & { readonly kind: PlainKind } {
  return setting.kind !== "secrets" && setting.kind !== "relays";
}

/** The strongest layer that has it. An empty variable is none. */
function find(
  { key, env: name }: Setting,
  env: Environment,
  files: readonly ConfigFile[],
): Found | undefined {
  const text = name === null ? undefined : env[name];
  if (name !== null && text !== undefined && text !== "") {
    return { value: text, rank: 1, source: name, isFile: false };
  }
  for (const { values, path, layer } of files) {
    const value = values.get(key);
    if (value !== undefined) {
      return { value, rank: layer === "project" ? 2 : 3, source: `"${key}" in ${path}`, isFile: true };
    }
  }
  return undefined;
}

function isGiven(
  { option, argumentOf }: Setting,
  { command, args }: CommandInput,
  forms: ReadonlyMap<string, OptionForm>,
): boolean {
  return argumentOf === command ? args[0] !== undefined : forms.get(option)?.isGiven === true;
}

/** Does a stronger layer have what this one contradicts? @throws CliError when the same layer has both */
function isBeaten(
  { key, rival }: Setting,
  input: CommandInput,
  forms: ReadonlyMap<string, OptionForm>,
  found: ReadonlyMap<string, Found | undefined>,
): boolean {
  const other = SETTINGS.find((setting) => setting.key === rival);
  if (other === undefined) {
    return false;
  }
  if (isGiven(other, input, forms)) {
    return true;
  }
  const [mine, theirs] = [found.get(key), found.get(other.key)];
  if (mine === undefined || theirs === undefined || mine.rank !== theirs.rank) {
    return theirs !== undefined && theirs.rank < (mine?.rank ?? 0);
  }
  throw new CliError(
    mine.isFile ? "bad-config" : "usage",
    `${mine.source} and ${theirs.source} do not go together: with a relay elsewhere there is no port on this machine.`,
    { hint: "Leave out one of the two." },
  );
}

function parsedValue(
  { kind }: Setting & { readonly kind: PlainKind },
  { value, source, isFile }: Found,
  parse: OptionForm["parse"],
  cwd: string,
): unknown {
  try {
    checkValue(kind, value, cwd);
    return value === true || parse === undefined ? value : parse(value, undefined);
  } catch (error) {
    if (!(error instanceof CliError)) {
      throw error;
    }
    throw new CliError(isFile ? "bad-config" : error.code, `${source}: ${error.message}`, {
      hint: error.hint,
      details: error.details,
      cause: error,
    });
  }
}

/** A token from a file goes to its own relay and to no other. */
function addRelayToken(
  options: Record<string, unknown>,
  forms: ReadonlyMap<string, OptionForm>,
  files: readonly ConfigFile[],
): void {
  const relay = options["relay"];
  if (!forms.has("token") || options["token"] !== undefined || typeof relay !== "string" || relay === "") {
    return;
  }
  const tokens = files.flatMap(({ relayTokens }) => [...relayTokens]);
  if (tokens.length > 0) {
    const endpoint = toRelayEndpoint(relay);
    const token = tokens.find(([known]) => known === endpoint)?.[1];
    if (token !== undefined) {
      options["token"] = token;
    }
  }
}

/** Provider by provider: one that a stronger layer names is not looked up in a weaker one. */
function addSecrets(
  options: Record<string, unknown>,
  forms: ReadonlyMap<string, OptionForm>,
  files: readonly ConfigFile[],
  env: Environment,
): void {
  if (!forms.has("secret")) {
    return;
  }
  const texts = [...textsOption(options, "secret")];
  const named = new Set(texts.map((text) => text.slice(0, Math.max(0, text.indexOf("="))).toLowerCase()));
  for (const { path, secrets } of files) {
    for (const [provider, values] of secrets) {
      if (named.has(provider) || (env[secretVariable(provider)] ?? "") !== "") {
        continue;
      }
      for (const value of values) {
        assertReferenceSet(value, provider, path, env);
        texts.push(`${provider}=${value.text}`);
      }
      named.add(provider);
    }
  }
  if (texts.length > 0) {
    options["secret"] = texts;
  }
}
