import { randomUUID } from "node:crypto";
import {
  createRelayMux,
  PROTOCOL_VERSION,
  type Hello,
  type Refusal,
  type RelayMux,
  type SessionEnd,
  type Transport,
} from "@tenfold/protocol";
import type { RelayConfig, RelayDeps, TokenGrant } from "../config.ts";
import { HELLO_TIMEOUT_MS, MAX_STREAMS } from "../limits.ts";
import { chooseName, nameTaken, type ChosenName } from "../tunnels/choose-name.ts";
import { isTunnelName } from "../tunnels/name.ts";
import type { TunnelRegistry, TunnelSession } from "../tunnels/registry.ts";
import { EMBEDDED_NAME } from "../tunnels/resolve-route.ts";
import { authenticate } from "./authenticate.ts";

/** A welcomed agent. */
export interface AgentSession extends TunnelSession {
  readonly mux: RelayMux;
}

export interface AgentDeps extends RelayDeps {
  readonly registry: TunnelRegistry<AgentSession>;
  /** Public URL of a tunnel. */
  readonly urlOf: (name: string) => string;
  /** Default 10 s. */
  readonly helloTimeoutMs?: number;
}

/** One agent's link, from its WebSocket to its end: hello, token, name, then deliveries. */
export class AgentConnection {
  /** Resolves when the link is gone and its record with it. */
  readonly ended: Promise<void>;
  readonly #config: RelayConfig;
  readonly #deps: AgentDeps;
  readonly #mux: RelayMux;
  readonly #helloTimer: NodeJS.Timeout;
  #resolveEnded: () => void = () => undefined;
  #session: AgentSession | undefined;

  constructor(transport: Transport, config: RelayConfig, deps: AgentDeps) {
    this.#config = config;
    this.#deps = deps;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.#mux = createRelayMux(transport, {
      onHello: (hello) => this.#onHello(hello),
      onEnd: (end) => this.#onEnd(end),
    });
    const waitMs = deps.helloTimeoutMs ?? HELLO_TIMEOUT_MS;
    this.#helloTimer = setTimeout(() => this.#mux.close("no hello in time"), waitMs);
  }

  /** Tells a welcomed agent to go elsewhere; open deliveries go on. */
  drain(reason: string): void {
    if (this.#session !== undefined) {
      this.#mux.drain(reason);
    }
  }

  /** Ends the link in good order, within the protocol's bound. */
  close(reason: string): void {
    this.#mux.close(reason);
  }

  #onHello(hello: Hello): void {
    clearTimeout(this.#helloTimer);
    if (majorOf(hello.version) !== majorOf(PROTOCOL_VERSION)) {
      this.#refuse(wrongVersion(hello.version));
      return;
    }
    if (hello.resumeSecret === "") {
      this.#refuse(NO_RESUME_SECRET);
      return;
    }
    const grant = authenticate(hello.token, this.#config.tokens);
    if (grant === undefined) {
      this.#refuse(BAD_TOKEN);
      return;
    }
    this.#join(hello, grant);
  }

  #join(hello: Hello, grant: TokenGrant): void {
    const chosen = this.#chooseName(hello, grant);
    if (!chosen.ok) {
      this.#refuse(chosen.refusal, grant.id);
      return;
    }
    const session = {
      id: `ses_${randomUUID().replaceAll("-", "")}`,
      name: chosen.name,
      owner: grant.id,
      resumeSecret: hello.resumeSecret,
      mux: this.#mux,
    };
    const claim = this.#deps.registry.claim(session);
    if (!claim.granted) {
      this.#refuse(nameTaken(chosen.name), grant.id);
      return;
    }
    this.#session = session;
    this.#welcome(session, hello);
    if (claim.previous !== undefined) {
      endPrevious(claim.previous, session);
    }
  }

  /** Embedded, there is one tunnel and its name is in no URL: the wanted one is a label. */
  #chooseName(hello: Hello, grant: TokenGrant): ChosenName {
    if (this.#config.routing === "embedded" && (hello.name === undefined || isTunnelName(hello.name))) {
      return { ok: true, name: EMBEDDED_NAME };
    }
    const wish = { wanted: hello.name, grant, resumeSecret: hello.resumeSecret };
    return chooseName(wish, this.#config.tokens, this.#deps.registry);
  }

  #welcome(session: AgentSession, hello: Hello): void {
    const { registry, urlOf, log } = this.#deps;
    const { maxStreams = MAX_STREAMS, maxBodyBytes = 0, routing } = this.#config;
    const name = routing === "embedded" ? (hello.name ?? session.name) : session.name;
    this.#mux.welcome({
      sessionId: session.id,
      name,
      url: urlOf(session.name),
      leaseMs: registry.leaseMs,
      limits: { maxStreams, maxBodyBytes },
    });
    log("info", "agent.connected", { session: session.id, tunnel: name, owner: session.owner });
  }

  /** The log names the owner, if it is known, and never the token. */
  #refuse(refusal: Refusal, owner = "unknown"): void {
    this.#deps.log("warn", "agent.refused", { code: refusal.code, owner });
    this.#mux.refuse(refusal);
  }

  #onEnd(end: SessionEnd): void {
    clearTimeout(this.#helloTimer);
    const session = this.#session;
    if (session !== undefined) {
      this.#deps.registry.release(session);
      const fields = { session: session.id, tunnel: session.name, end: end.kind, reason: end.reason };
      this.#deps.log("info", "agent.disconnected", fields);
    }
    this.#resolveEnded();
  }
}

/** A reconnect of the same process has left its old link for dead; another process has to be told that it lost the name. */
function endPrevious(previous: AgentSession, next: AgentSession): void {
  if (previous.resumeSecret === next.resumeSecret) {
    previous.mux.terminate();
  } else {
    previous.mux.replaced(`another agent took over the tunnel "${next.name}" with the same token`);
  }
}

function majorOf(version: string): string {
  return version.split(".")[0] ?? "";
}

/** A version goes into a message: whatever is longer than any real one is cut there. */
const SHOWN_VERSION_CHARS = 20;

function wrongVersion(version: string): Refusal {
  return {
    code: "version",
    reason: `the agent speaks version ${version.slice(0, SHOWN_VERSION_CHARS)} of the protocol, this relay ${PROTOCOL_VERSION}`,
    hint: "Use versions of agent and relay that fit together.",
  };
}

const BAD_TOKEN: Refusal = {
  code: "bad-token",
  reason: "the relay does not know this token",
  hint: "Check the token, or ask the relay's operator for one.",
};

const NO_RESUME_SECRET: Refusal = {
  code: "bad-hello",
  reason: "the agent sent no resume secret",
  hint: "Update the agent.",
};
