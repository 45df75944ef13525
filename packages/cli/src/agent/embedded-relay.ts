import { randomBytes } from "node:crypto";
import { createRelay, hashToken, RelayError } from "@tenfold/relay-server";
import type { Relay, RelayConfig, RelayDeps, RelayErrorCode } from "@tenfold/relay-server";
import { CliError } from "../errors.ts";
import type { CliErrorCode } from "../errors.ts";

const TOKEN_BYTES = 32;
/** How much longer than its agent the embedded relay waits for an answer, in ms: the agent names the cause better. */
const RESPONSE_MARGIN_MS = 5_000;
/** How long the embedded relay lets open requests finish, in ms; its agent has closed its session by then. */
const EMBEDDED_CLOSE_MS = 500;

/** A relay inside this process, for one agent, on loopback. */
export interface EmbeddedRelay {
  readonly url: string;
  /** Random; leaves this process only over loopback. */
  readonly token: string;
  close(): Promise<void>;
}

export interface EmbeddedRelayOptions {
  /** 0: any free one. */
  readonly port: number;
  /** Time that the target has for its answer head, in ms. */
  readonly targetTimeoutMs: number;
}

/**
 * Starts a relay for this process alone.
 *
 * @throws CliError `port-in-use` · `port-forbidden`
 */
export async function startEmbeddedRelay(
  options: EmbeddedRelayOptions,
  deps: RelayDeps,
): Promise<EmbeddedRelay> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const relay = await startRelay(
    {
      host: "127.0.0.1",
      port: options.port,
      routing: "embedded",
      responseTimeoutMs: options.targetTimeoutMs + RESPONSE_MARGIN_MS,
      tokens: [{ id: "embedded", sha256: hashToken(token), names: "*" }],
    },
    deps,
  );
  return { url: relay.url, token, close: () => relay.close(EMBEDDED_CLOSE_MS) };
}

/** What `tunnel relay` sets; `tokens` are plain values, of which the relay gets only the hashes. */
export interface PublicRelayOptions extends Omit<RelayConfig, "routing" | "tokens"> {
  readonly tokens: readonly string[];
}

/**
 * Starts a relay for agents elsewhere. Each token may open tunnels of any free name.
 *
 * @throws CliError `port-in-use` · `port-forbidden` · `usage` for settings that do not fit together
 */
export function startPublicRelay(options: PublicRelayOptions, deps: RelayDeps): Promise<Relay> {
  const tokens = options.tokens.map((token, index) => ({
    id: `token-${index + 1}`,
    sha256: hashToken(token),
    names: "*" as const,
  }));
  return startRelay({ ...options, routing: "path", tokens }, deps);
}

const CLI_CODES: Readonly<Record<RelayErrorCode, CliErrorCode>> = {
  "port-in-use": "port-in-use",
  "port-forbidden": "port-forbidden",
  "needs-token": "usage",
  "bad-config": "usage",
};

async function startRelay(config: RelayConfig, deps: RelayDeps): Promise<Relay> {
  try {
    return await createRelay(config, deps);
  } catch (error) {
    if (error instanceof RelayError) {
      throw new CliError(CLI_CODES[error.code], error.message, { hint: error.hint, cause: error });
    }
    throw error;
  }
}
