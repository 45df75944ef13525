import { HELLO, REQUEST, WELCOME } from "./frame-factory.ts";
import type { HeaderList, RequestHead, ResponseHead } from "../core/head.ts";
import { createAgentMux, createRelayMux } from "../mux.ts";
import type { MuxDeps } from "../mux-deps.ts";
import type { AgentMux, RelayMux } from "../mux.ts";
import type { SessionEnd } from "../session-end.ts";
import type { Transport } from "../transport.ts";
import type { ResponderStream, StreamHandler, TunnelStream } from "../tunnel-stream.ts";

/** Notes all that a stream says; gives credit back at once unless told otherwise. */
export class RecordingHandler implements StreamHandler {
  /** What was said, one line each; data are in `bytes`. */
  readonly log: string[] = [];
  readonly closed: Promise<void>;
  stream: TunnelStream | undefined;
  autoConsume = true;
  readonly #chunks: Uint8Array[] = [];
  readonly #wakers: (() => void)[] = [];
  #resolveClosed = (): void => {};

  constructor() {
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  onResponse(head: ResponseHead): void {
    this.#note(`response ${head.status}`);
  }
  onData(chunk: Uint8Array): void {
    this.#chunks.push(chunk.slice());
    if (this.autoConsume) this.stream?.consumed(chunk.length);
    this.#wake();
  }
  onEnd(trailers: HeaderList): void {
    this.#note(["end", ...trailers].join(" "));
  }
  onWritable(): void {
    this.#note("writable");
  }
  onStop(code: string): void {
    this.#note(`stop ${code}`);
  }
  onReset(code: string): void {
    this.#note(`reset ${code}`);
  }
  onClose(): void {
    this.#note("close");
    this.#resolveClosed();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** Resolves once `holds`; looks again whenever the stream says something. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        this.#wakers.push(resolve);
      });
    }
  }

  #note(line: string): void {
    this.log.push(line);
    this.#wake();
  }
  #wake(): void {
    for (const waker of this.#wakers.splice(0)) waker();
  }
}

/** A delivery as the agent got it. */
interface ReceivedRequest {
  readonly head: RequestHead;
  readonly stream: ResponderStream;
  readonly handler: RecordingHandler;
  readonly first: Uint8Array;
  readonly ended: boolean;
}

/** A relay and an agent that are past their welcome. */
export interface MuxPair {
  readonly relay: RelayMux;
  readonly agent: AgentMux;
  /** How each session ended: one entry each, or a defect. */
  readonly ends: { readonly relay: SessionEnd[]; readonly agent: SessionEnd[] };
  /** Resolves when both sessions are over. */
  readonly over: Promise<void>;
  /** The next delivery that the agent has not handed out yet. */
  nextRequest(): Promise<ReceivedRequest>;
}

/** Greets over two joined transports. */
export async function connectMuxes(
  relaySide: Transport,
  agentSide: Transport,
  deps: MuxDeps = {},
): Promise<MuxPair> {
  const requests = new Inbox();
  const ends: { relay: SessionEnd[]; agent: SessionEnd[] } = { relay: [], agent: [] };
  const relayOver = createSignal();
  const agentOver = createSignal();
  const ready = createSignal();
  const onEnd = (side: "relay" | "agent") => (end: SessionEnd) => {
    ends[side].push(end);
    (side === "relay" ? relayOver : agentOver).resolve();
  };

  const relay: RelayMux = createRelayMux(
    relaySide,
    { onHello: () => relay.welcome(WELCOME), onEnd: onEnd("relay") },
    deps,
  );
  const agent = createAgentMux(
    agentSide,
    {
      onWelcome: () => ready.resolve(),
      onRefused: ignore,
      onReplaced: ignore,
      onDrain: ignore,
      onGap: ignore,
      onRequest: (head, stream, first, ended) => requests.put(head, stream, first, ended),
      onEnd: onEnd("agent"),
    },
    deps,
  );
  agent.hello(HELLO);
  await ready.promise;
  const over = Promise.all([relayOver.promise, agentOver.promise]).then(ignore);
  return { relay, agent, ends, over, nextRequest: () => requests.take() };
}

/** Opens a stream whose words are noted. */
export function openStream(
  relay: RelayMux,
  options: { readonly head?: RequestHead; readonly body?: Uint8Array; readonly end?: boolean } = {},
): { readonly handler: RecordingHandler; readonly stream: TunnelStream } {
  const handler = new RecordingHandler();
  const stream = relay.openStream(options.head ?? REQUEST, handler, options);
  handler.stream = stream;
  return { handler, stream };
}

interface Signal {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function ignore(): void {}

function createSignal(): Signal {
  let resolve = ignore;
  const promise = new Promise<void>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}

class Inbox {
  readonly #requests: ReceivedRequest[] = [];
  readonly #takers: ((request: ReceivedRequest) => void)[] = [];

  put(head: RequestHead, stream: ResponderStream, first: Uint8Array, ended: boolean): RecordingHandler {
    const handler = new RecordingHandler();
    handler.stream = stream;
    const request = { head, stream, handler, first: first.slice(), ended };
    const taker = this.#takers.shift();
    if (taker === undefined) this.#requests.push(request);
    else taker(request);
    return handler;
  }

  take(): Promise<ReceivedRequest> {
    const present = this.#requests.shift();
    if (present !== undefined) return Promise.resolve(present);
    return new Promise((resolve) => {
      this.#takers.push(resolve);
    });
  }
}
