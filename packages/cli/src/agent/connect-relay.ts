import { createAgentMux, createWebSocketTransport, PROTOCOL_VERSION, SUBPROTOCOL } from "@tenfold/protocol";
import type { AgentMux, AgentMuxEvents, Refusal, StreamHandler, Welcome } from "@tenfold/protocol";
import { WebSocket } from "ws";
import { CliError } from "../errors.ts";
import { lookupLocalhostFirst } from "../forward/localhost-lookup.ts";
import type { ArrivedDelivery } from "./handle-delivery.ts";
import { shownRelayUrl, toRelayEndpoint } from "./relay-endpoint.ts";

/** Time for TCP, TLS and the WebSocket handshake, and then once more for the relay's answer to `hello`, in ms. */
const STEP_TIMEOUT_MS = 10_000;
/** Largest WebSocket message taken, in bytes: one frame of the protocol is at most 64 KiB and its header. */
const MAX_MESSAGE_BYTES = 128 * 1024;

export interface RelayLink {
  /** As the user gave it. */
  readonly url: string;
  readonly token: string;
  /** Wanted tunnel name; absent: the relay chooses. */
  readonly name?: string;
  /** The same over all sessions of this process. */
  readonly resumeSecret: string;
  /** `tenfold/0.1.0` */
  readonly agent: string;
  /** Time for the handshake, and again for the welcome, in ms. Default 10 s. */
  readonly stepTimeoutMs?: number;
}

/** Why a session is over for its agent. */
export interface SessionEnding {
  /** `drain`: the relay asks to go elsewhere, open deliveries may finish · `replaced`: another agent took the name. */
  readonly kind: "closed" | "lost" | "protocol" | "drain" | "replaced";
  readonly reason: string;
}

/** A session that the relay has welcomed. */
export interface RelaySession {
  readonly welcome: Welcome;
  /** Never rejects. After `drain` the session still serves what is open. */
  readonly ended: Promise<SessionEnding>;
  /** Resolves once the link is gone and every stream is closed. */
  readonly gone: Promise<void>;
  close(reason: string): void;
}

export interface SessionEvents extends Pick<AgentMuxEvents, "onGap"> {
  onDelivery(arrived: ArrivedDelivery, welcome: Welcome): StreamHandler;
}

/**
 * Opens one session with a relay; resolves once the relay has welcomed it.
 *
 * @throws CliError `relay-unreachable` · `relay-refused` (final) · `plaintext-token` · `usage`, or `signal`'s reason
 */
export async function connectRelay(
  link: RelayLink,
  events: SessionEvents,
  signal: AbortSignal,
): Promise<RelaySession> {
  const socket = await openSocket(link, signal);
  const session = createSession(socket, link, events);
  const stop = (): void => session.mux.terminate();
  signal.addEventListener("abort", stop, { once: true });
  const timer = setTimeout(() => session.mux.terminate(), link.stepTimeoutMs ?? STEP_TIMEOUT_MS);
  try {
    signal.throwIfAborted();
    const welcome = await session.welcomed;
    return {
      welcome,
      ended: session.ended,
      gone: session.gone,
      close: (reason) => session.mux.close(reason),
    };
  } catch (error) {
    // A relay that refuses also closes; one that does not must not keep this process alive.
    session.mux.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

function openSocket(link: RelayLink, signal: AbortSignal): Promise<WebSocket> {
  const endpoint = toRelayEndpoint(link.url);
  signal.throwIfAborted();
  const socket = new WebSocket(endpoint, [SUBPROTOCOL], {
    perMessageDeflate: false,
    handshakeTimeout: link.stepTimeoutMs ?? STEP_TIMEOUT_MS,
    maxPayload: MAX_MESSAGE_BYTES,
    followRedirects: false,
    lookup: lookupLocalhostFirst,
  });
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      socket.terminate();
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", abort, { once: true });
    socket.once("open", () => {
      signal.removeEventListener("abort", abort);
      resolve(socket);
    });
    function fail(error: Error): void {
      signal.removeEventListener("abort", abort);
      reject(unreachable(link, connectionCause(error), error));
    }
    // Stays on: an error between here and the session's own listeners must not end the process.
    socket.on("error", fail);
    socket.once("unexpected-response", (request, response) => {
      request.destroy();
      fail(new NotARelayError(response.statusCode ?? 0));
    });
  });
}

interface OpenSession {
  readonly mux: AgentMux;
  readonly welcomed: Promise<Welcome>;
  readonly ended: Promise<SessionEnding>;
  readonly gone: Promise<void>;
}

function createSession(socket: WebSocket, link: RelayLink, events: SessionEvents): OpenSession {
  const welcomed = deferred<Welcome>();
  const ended = deferred<SessionEnding>();
  const gone = deferred<undefined>();
  let welcome: Welcome | undefined;
  const mux = createAgentMux(createWebSocketTransport(socket), {
    onWelcome(consent) {
      welcome = consent;
      welcomed.resolve(consent);
    },
    onRequest(head, stream, first, streamEnded) {
      if (welcome === undefined) {
        throw new TypeError("The protocol lets no delivery through before the welcome.");
      }
      return events.onDelivery({ head, stream, first, ended: streamEnded }, welcome);
    },
    onGap: (gap) => events.onGap(gap),
    onRefused: (refusal) => welcomed.reject(refused(link, refusal)),
    onReplaced: (reason) => ended.resolve({ kind: "replaced", reason }),
    onDrain: (reason) => ended.resolve({ kind: "drain", reason }),
    onEnd: (end) => {
      welcomed.reject(unreachable(link, `it closed the connection during the handshake (${end.reason})`));
      ended.resolve(end);
      gone.resolve(undefined);
    },
  });
  mux.hello({
    version: PROTOCOL_VERSION,
    token: link.token,
    ...(link.name === undefined ? {} : { name: link.name }),
    resumeSecret: link.resumeSecret,
    agent: link.agent,
  });
  return { mux, welcomed: welcomed.promise, ended: ended.promise, gone: gone.promise };
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

/** The first of `resolve` and `reject` counts. */
function deferred<T>(): Deferred<T> {
  let settle: Pick<Deferred<T>, "resolve" | "reject"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Nobody may be waiting any more when it is rejected.
  promise.catch(() => {});
  return { promise, resolve: (value) => settle?.resolve(value), reject: (error) => settle?.reject(error) };
}

/** Something answered, but it is no relay. */
class NotARelayError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.name = "NotARelayError";
    this.status = status;
  }
}

const CONNECTION_CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "its host name can't be resolved",
  EAI_AGAIN: "its host name can't be resolved just now",
  ETIMEDOUT: "no connection in time",
  EHOSTUNREACH: "no route to it",
  ENETUNREACH: "no route to its network",
};

function connectionCause(error: Error): string {
  if (error instanceof NotARelayError) {
    return `a server is there, but it answered ${error.status} and seems to be no Tenfold relay`;
  }
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return code === undefined ? "no WebSocket connection in time" : (CONNECTION_CAUSES[code] ?? code);
}

function unreachable(link: RelayLink, why: string, cause?: unknown): CliError {
  return new CliError("relay-unreachable", `No connection to the relay ${shownRelayUrl(link.url)}: ${why}.`, {
    hint: "Check the URL given with --relay, and that the relay is running (`tunnel relay` on its machine).",
    ...(cause === undefined ? {} : { cause }),
  });
}

function refused(link: RelayLink, refusal: Refusal): CliError {
  if (refusal.code === "bad-token" && link.token === "") {
    return new CliError(
      "relay-refused",
      `The relay ${shownRelayUrl(link.url)} asks for a token, and none was given.`,
      {
        hint: "Give the token that its operator made, with --token or in TENFOLD_TOKEN.",
      },
    );
  }
  return new CliError(
    "relay-refused",
    `The relay ${shownRelayUrl(link.url)} refused this tunnel (${refusal.code}): ${refusal.reason}`,
    { hint: refusal.hint },
  );
}
