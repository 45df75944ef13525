import { providers } from "@tenfold/providers";
import { toRelayEndpoint } from "../agent/relay-endpoint.ts";
import { CliError } from "../errors.ts";
import { nearestName } from "../output/nearest-name.ts";
import { visible } from "../output/visible-text.ts";
import { REFERENCE_PREFIX, secretVariable } from "./secrets.ts";
import { typeText, wrongType } from "./setting-value.ts";

interface SecretValue {
  /** `env:NAME`, or the secret itself. */
  readonly text: string;
  readonly isLiteral: boolean;
}

/** By provider id; several for one provider while one is rotated. */
export type SecretValues = ReadonlyMap<string, readonly SecretValue[]>;
/** By the relay's endpoint, so that spelling makes no difference. */
export type RelayTokens = ReadonlyMap<string, string>;

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/**
 * Reads `"secrets": {"stripe": "env:NAME"}`, or a list of such values. Only the user's own file may hold a secret itself.
 *
 * @throws CliError `bad-config`; no message holds a value, which may be a secret
 */
export function readSecrets(value: unknown, path: string, layer: "project" | "user"): SecretValues {
  if (value === undefined) {
    return new Map();
  }
  return new Map(
    entriesOf("secrets", value, path).map(([provider, given]) => {
      assertKnown(provider, path);
      const key = `secrets.${provider}`;
      const texts: readonly unknown[] = Array.isArray(given) ? given : [given];
      return [provider, texts.map((text) => readSecret(key, text, path, layer))] as const;
    }),
  );
}

/** Reads `"relays": {URL: {"token": "…"}}`. @throws CliError `bad-config`, without any token in its text */
export function readRelays(value: unknown, path: string): RelayTokens {
  if (value === undefined) {
    return new Map();
  }
  return new Map(
    entriesOf("relays", value, path).map(([url, given]) => {
      const key = `relays.${url}`;
      const { token, ...rest } = Object.fromEntries(entriesOf(key, given, path));
      const [unknown] = Object.keys(rest);
      if (unknown !== undefined) {
        throw new CliError("bad-config", `"${visible(`${key}.${unknown}`)}" in ${path} is no setting.`, {
          hint: 'A relay has a "token" there, and nothing else.',
        });
      }
      if (typeof token !== "string" || token === "") {
        throw wrongType(`${key}.token`, path, "a text", token === undefined ? "missing" : typeText(token));
      }
      return [endpointOf(url, key, path), token] as const;
    }),
  );
}

/** @throws CliError `bad-config` when the variable that a secret is to come from is not set */
export function assertReferenceSet(
  { text, isLiteral }: SecretValue,
  provider: string,
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): void {
  const name = text.slice(REFERENCE_PREFIX.length);
  if (!isLiteral && (env[name] ?? "") === "") {
    throw new CliError(
      "bad-config",
      `"secrets.${provider}" in ${path} is to come from the environment variable ${name}, which is not set.`,
      { hint: `Set ${name} or ${secretVariable(provider)}, or give the secret with --secret.` },
    );
  }
}

function readSecret(key: string, value: unknown, path: string, layer: "project" | "user"): SecretValue {
  if (typeof value !== "string" || value === "") {
    throw wrongType(key, path, 'a text like "env:NAME"', typeText(value));
  }
  const isLiteral = !value.startsWith(REFERENCE_PREFIX);
  if (isLiteral && layer === "project") {
    throw new CliError("bad-config", `"${key}" in ${path} is a secret itself, and this file is shared.`, {
      hint: `Write "env:NAME" there, with the secret in that environment variable, and make a new secret if the file was ever shared.`,
    });
  }
  if (!isLiteral && !VARIABLE.test(value.slice(REFERENCE_PREFIX.length))) {
    throw new CliError("bad-config", `"${key}" in ${path} names no environment variable after "env:".`, {
      hint: 'Write for example "env:STRIPE_WEBHOOK_SECRET".',
    });
  }
  return { text: value, isLiteral };
}

function assertKnown(provider: string, path: string): void {
  const known = providers.map(({ id }) => id);
  if (!known.includes(provider)) {
    const near = nearestName(provider, known);
    const shown = visible(provider, { maxLength: 40 });
    throw new CliError("bad-config", `"secrets.${shown}" in ${path} is no provider that is known.`, {
      hint: near === undefined ? `Known: ${known.join(", ")}.` : `Did you mean "${near}"?`,
    });
  }
}

function endpointOf(url: string, key: string, path: string): string {
  try {
    return toRelayEndpoint(url);
  } catch (error) {
    if (!(error instanceof CliError)) {
      throw error;
    }
    throw new CliError("bad-config", `"${visible(key)}" in ${path}: ${error.message}`, {
      hint: error.hint,
      cause: error,
    });
  }
}

function entriesOf(key: string, value: unknown, path: string): readonly (readonly [string, unknown])[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw wrongType(key, path, "an object", typeText(value));
  }
  return Object.entries(value);
}
