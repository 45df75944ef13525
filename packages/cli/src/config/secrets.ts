import { providers } from "@tenfold/providers";
import { CliError } from "../errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const ENV_PREFIX = "TENFOLD_SECRET_";
/** What a secret begins with that is the name of an environment variable, and not the secret itself. */
export const REFERENCE_PREFIX = "env:";

/**
 * Signing secrets by provider id, from `--secret PROVIDER=VALUE` (repeatable: several secrets while one is rotated) and,
 * for providers that no flag names, from `TENFOLD_SECRET_STRIPE` and the like. A value `env:NAME` stands for that
 * environment variable. No message ever holds a secret.
 *
 * @throws CliError `usage`
 */
export function resolveSecrets(
  flagValues: readonly string[],
  env: Environment,
): ReadonlyMap<string, readonly string[]> {
  const secrets = new Map<string, string[]>();
  for (const flagValue of flagValues) {
    const [provider, value] = splitFlag(flagValue);
    secrets.set(provider, [...(secrets.get(provider) ?? []), dereference(value, env)]);
  }
  for (const { id } of providers) {
    const value = env[secretVariable(id)];
    if (value !== undefined && value !== "" && !secrets.has(id)) {
      secrets.set(id, [dereference(value, env)]);
    }
  }
  return secrets;
}

/** `stripe` → `TENFOLD_SECRET_STRIPE`. */
export function secretVariable(provider: string): string {
  return `${ENV_PREFIX}${provider.toUpperCase().replaceAll("-", "_")}`;
}

function splitFlag(flagValue: string): [provider: string, value: string] {
  const at = flagValue.indexOf("=");
  const provider = flagValue.slice(0, at).toLowerCase();
  const known = providers.map(({ id }) => id);
  // The text is not shown: it may be nothing but the secret.
  if (at <= 0 || at === flagValue.length - 1) {
    throw new CliError("usage", "--secret takes PROVIDER=VALUE.", { hint: secretHint(known[0] ?? "stripe") });
  }
  if (!known.includes(provider)) {
    throw new CliError("usage", `--secret names a provider that is not known; known: ${known.join(", ")}.`, {
      hint: secretHint(known[0] ?? "stripe"),
    });
  }
  return [provider, flagValue.slice(at + 1)];
}

function dereference(value: string, env: Environment): string {
  if (!value.startsWith(REFERENCE_PREFIX)) {
    return value;
  }
  const name = value.slice(REFERENCE_PREFIX.length);
  const secret = env[name];
  if (secret === undefined || secret === "") {
    throw new CliError(
      "usage",
      `The secret is to come from the environment variable ${name}, which is not set.`,
      {
        hint: `Set ${name}, or give the secret in another way.`,
      },
    );
  }
  return secret;
}

function secretHint(provider: string): string {
  return `Use --secret ${provider}=env:NAME_OF_A_VARIABLE, or set ${secretVariable(provider)}.`;
}
