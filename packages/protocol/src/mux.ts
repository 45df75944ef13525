import { MuxedSession } from "./muxed-session.ts";
import type { Hello, Refusal, Welcome } from "./core/handshake.ts";
import type { RequestHead } from "./core/head.ts";
import type { MuxDeps } from "./mux-deps.ts";
import type { SessionEnd } from "./session-end.ts";
import type { Transport } from "./transport.ts";
import type { ResponderStream, StreamHandler, TunnelStream } from "./tunnel-stream.ts";

export interface RelayMuxEvents {
  onHello(hello: Hello): void;
  /** Exactly once, after every open stream was reset with `session-lost`. */
  onEnd(end: SessionEnd): void;
}

export interface AgentMuxEvents {
  onWelcome(welcome: Welcome): void;
  onRefused(refusal: Refusal): void;
  /** Another session with another resume secret took the name. */
  onReplaced(reason: string): void;
  onDrain(reason: string): void;
  onGap(gap: { readonly count: number; readonly from: number; readonly to: number }): void;
  /**
   * A new delivery. `first` is what came with the head; when `ended` it is the whole body and neither `onData` nor `onEnd`
   * follows. `first` counts against the window like any other data: `consumed(first.length)`.
   */
  onRequest(head: RequestHead, stream: ResponderStream, first: Uint8Array, ended: boolean): StreamHandler;
  onEnd(end: SessionEnd): void;
}

interface Mux {
  /** Open streams; 0 after `onEnd`. */
  readonly openStreams: number;
  /** Ends the session in good order, at most `CLOSE_TIMEOUT_MS` later by force. Idempotent. */
  close(reason: string): void;
  /** Drops the link at once. */
  terminate(): void;
}

export interface RelayMux extends Mux {
  welcome(welcome: Welcome): void;
  /** Sends the refusal and closes. */
  refuse(refusal: Refusal): void;
  /** Tells the agent that a newer session took over, and closes. */
  replaced(reason: string): void;
  drain(reason: string): void;
  gap(gap: { readonly count: number; readonly from: number; readonly to: number }): void;
  /**
   * @throws ProtocolError `too-many-streams` at the limit that `welcome` set; `malformed-frame` or `head-too-large` for a
   * head that can't be sent; `session-not-open`.
   */
  openStream(
    head: RequestHead,
    handler: StreamHandler,
    options?: { readonly body?: Uint8Array; readonly end?: boolean },
  ): TunnelStream;
}

export interface AgentMux extends Mux {
  hello(hello: Hello): void;
}

export function createRelayMux(transport: Transport, events: RelayMuxEvents, deps: MuxDeps = {}): RelayMux {
  const session = new MuxedSession("relay", transport, deps, {
    onEnd: (end) => events.onEnd(end),
    onControl(event) {
      if (event.name === "hello") events.onHello(event.hello);
    },
    onRequest: () => undefined,
  });
  return {
    get openStreams() {
      return session.openStreams;
    },
    welcome: (welcome) => session.control((core) => core.sendWelcome(welcome)),
    refuse(refusal) {
      session.control((core) => core.sendRefusal(refusal));
      session.close(`refused: ${refusal.code}`);
    },
    replaced(reason) {
      session.control((core) => core.sendReplaced(reason));
      session.close("replaced");
    },
    drain: (reason) => session.control((core) => core.sendDrain(reason)),
    gap: (gap) => session.control((core) => core.sendGap(gap)),
    openStream: (head, handler, options = {}) =>
      session.open(head, handler, options.body, options.end ?? false),
    close: (reason) => session.close(reason),
    terminate: () => session.terminate(),
  };
}

export function createAgentMux(transport: Transport, events: AgentMuxEvents, deps: MuxDeps = {}): AgentMux {
  const session = new MuxedSession("agent", transport, deps, {
    onEnd: (end) => events.onEnd(end),
    onControl(event) {
      switch (event.name) {
        case "hello":
          break;
        case "welcome":
          events.onWelcome(event.welcome);
          break;
        case "refused":
          events.onRefused(event.refusal);
          break;
        case "replaced":
          events.onReplaced(event.reason);
          break;
        case "drain":
          events.onDrain(event.reason);
          break;
        case "gap":
          events.onGap(event.gap);
          break;
      }
    },
    onRequest: (head, stream, first, ended) => events.onRequest(head, stream, first, ended),
  });
  return {
    get openStreams() {
      return session.openStreams;
    },
    hello: (hello) => session.control((core) => core.sendHello(hello)),
    close: (reason) => session.close(reason),
    terminate: () => session.terminate(),
  };
}
