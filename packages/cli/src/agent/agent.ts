import type { Welcome } from "@tenfold/protocol";
import { CliError } from "../errors.ts";
import type { AgentEvent } from "./agent-event.ts";
import { connectRelay } from "./connect-relay.ts";
import type { RelayLink, RelaySession, SessionEnding } from "./connect-relay.ts";
import { handleDelivery } from "./handle-delivery.ts";
import type { ArrivedDelivery, DeliveryContext, HandledDelivery } from "./handle-delivery.ts";
import { createReconnectPolicy } from "./reconnect-policy.ts";
import type { ReconnectPolicy } from "./reconnect-policy.ts";

/** Longest wait for deliveries in flight to be recorded once the agent stops, in ms; longer is a stuck target's fault. */
const STOP_TIMEOUT_MS = 3_000;

/**
 * Time for each step of a new try once the relay is known, in ms. A try that hangs in a link which is gone must not hold up the
 * next one, which may find it mended.
 */
const RECONNECT_STEP_TIMEOUT_MS = 4_000;

type Injected = "forwarder" | "history" | "now" | "onEvent";

export interface AgentOptions extends Omit<DeliveryContext, Injected | "tunnel"> {
  readonly link: RelayLink;
}

export interface AgentDeps extends Pick<DeliveryContext, "forwarder" | "history" | "now"> {
  readonly onEvent: (event: AgentEvent) => void;
  /** 0 ≤ n < 1. */
  readonly random: () => number;
  /** Waits; returns early, without an error, once `signal` is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Agent {
  /**
   * Keeps a tunnel up until `signal` is aborted: one session after another, for ever. Resolves when all is closed and
   * what was in flight is recorded. To be called once.
   *
   * @throws CliError `relay-unreachable` at the first try only · `relay-refused` · `replaced` · `plaintext-token` · `usage`
   */
  run(signal: AbortSignal): Promise<void>;
}

export function createAgent(options: AgentOptions, deps: AgentDeps): Agent {
  return new TunnelAgent(options, deps);
}

class TunnelAgent implements Agent {
  readonly #options: AgentOptions;
  readonly #deps: AgentDeps;
  readonly #policy: ReconnectPolicy;
  readonly #sessions = new Set<RelaySession>();
  readonly #inFlight = new Set<Promise<void>>();
  /** Aborted with the error of a delivery that met a defect of ours. */
  readonly #defect = new AbortController();
  /** Name that the relay gave; asked for again after a loss. */
  #name: string | undefined;

  constructor(options: AgentOptions, deps: AgentDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#policy = createReconnectPolicy(deps.random);
  }

  async run(signal: AbortSignal): Promise<void> {
    const until = AbortSignal.any([signal, this.#defect.signal]);
    until.addEventListener("abort", () => void this.#finishInFlight(), { once: true });
    try {
      while (!until.aborted) {
        await this.#serveOnce(until);
      }
    } finally {
      await this.#closeAll();
    }
    if (this.#defect.signal.aborted) {
      throw this.#defect.signal.reason;
    }
  }

  /** One session, or one failed try to have one, to its end and the wait after it. */
  async #serveOnce(until: AbortSignal): Promise<void> {
    const ending = await this.#sessionEnding(until);
    if (!until.aborted) {
      const retryInMs = this.#policy.nextDelayMs(this.#deps.now());
      this.#deps.onEvent({ type: "down", reason: ending.reason, retryInMs });
      await this.#deps.sleep(retryInMs, until);
    }
  }

  async #sessionEnding(until: AbortSignal): Promise<SessionEnding> {
    let session: RelaySession;
    try {
      session = await this.#openSession(until);
    } catch (error) {
      return toEnding(error, this.#name !== undefined, until);
    }
    const { url, name } = session.welcome;
    this.#name = name;
    this.#deps.onEvent({ type: "ready", url, name });
    const since = this.#deps.now();
    const ending = await endingOf(session);
    this.#policy.sessionEnded(this.#deps.now() - since);
    return ending;
  }

  async #openSession(until: AbortSignal): Promise<RelaySession> {
    const { link } = this.#options;
    const session = await connectRelay(
      this.#name === undefined
        ? link
        : { ...link, name: this.#name, stepTimeoutMs: RECONNECT_STEP_TIMEOUT_MS },
      {
        onDelivery: (arrived, welcome) => this.#takeDelivery(arrived, welcome).handler,
        onGap: (gap) => this.#deps.onEvent({ type: "gap", ...gap }),
      },
      until,
    );
    this.#sessions.add(session);
    void session.gone.finally(() => this.#sessions.delete(session));
    if (until.aborted) {
      session.close("the agent stops");
    }
    return session;
  }

  #takeDelivery(arrived: ArrivedDelivery, welcome: Welcome): HandledDelivery {
    const delivery = handleDelivery(arrived, { ...this.#options, ...this.#deps, tunnel: welcome.name });
    const tracked = delivery.done
      .catch((error: unknown) => this.#defect.abort(error))
      .finally(() => this.#inFlight.delete(tracked));
    this.#inFlight.add(tracked);
    return delivery;
  }

  /** What is under way may come to its answer; then, or at the bound, the sessions are closed. */
  async #finishInFlight(): Promise<void> {
    await this.#atMost(Promise.all(this.#inFlight));
    this.#closeSessions();
  }

  #closeSessions(): void {
    for (const session of this.#sessions) {
      session.close("the agent stops");
    }
  }

  async #closeAll(): Promise<void> {
    this.#closeSessions();
    await this.#atMost(Promise.all([...[...this.#sessions].map(({ gone }) => gone), ...this.#inFlight]));
  }

  async #atMost(work: Promise<unknown>): Promise<void> {
    const bound = new AbortController();
    await Promise.race([work, this.#deps.sleep(STOP_TIMEOUT_MS, bound.signal)]);
    bound.abort();
  }
}

/** A first try that fails ends the agent, since its URL is likely wrong; so does every refusal. */
function toEnding(error: unknown, wasConnected: boolean, until: AbortSignal): SessionEnding {
  if (until.aborted) {
    return { kind: "closed", reason: "the agent stops" };
  }
  if (wasConnected && error instanceof CliError && error.code === "relay-unreachable") {
    return { kind: "lost", reason: error.message };
  }
  throw error;
}

async function endingOf(session: RelaySession): Promise<SessionEnding> {
  const ending = await session.ended;
  if (ending.kind === "replaced") {
    throw new CliError(
      "replaced",
      `Another agent took over the tunnel ${session.welcome.name}: ${ending.reason}`,
      {
        hint: "Stop the other agent, or start this one with another --name.",
      },
    );
  }
  return ending;
}
