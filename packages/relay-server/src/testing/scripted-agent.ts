import {
  AGENT_PATH,
  createAgentMux,
  createWebSocketTransport,
  PROTOCOL_VERSION,
  SUBPROTOCOL,
  type AgentMux,
  type HeaderList,
  type Hello,
  type Refusal,
  type RequestHead,
  type ResponderStream,
  type SessionEnd,
  type StreamHandler,
  type Welcome,
} from "@tenfold/protocol";
import { WebSocket } from "ws";

/** How one request ended on the agent's side. */
interface StreamEnd {
  /** Code of the relay's reset; undefined: both halves ended. */
  readonly reset: string | undefined;
}

/** One request that the agent got; its body is read as the script says. */
export interface ScriptedRequest {
  readonly head: RequestHead;
  readonly stream: ResponderStream;
  /** What came in the same message as the head. */
  readonly first: { readonly bytes: number; readonly ended: boolean };
  /** Resolves with the whole body. Never when the stream is reset before. */
  readonly body: Promise<{ readonly bytes: Buffer; readonly trailers: HeaderList }>;
  readonly closed: Promise<StreamEnd>;
  /** Bytes of the body so far. */
  receivedBytes(): number;
  /** Waits for that many bytes of the body. */
  received(bytes: number): Promise<void>;
  /** Waits for room after a write that returned false. */
  writable(): Promise<void>;
}

export interface ScriptedAgent {
  readonly mux: AgentMux;
  /** Everything that came, in order. */
  readonly requests: readonly ScriptedRequest[];
  readonly welcomed: Promise<Welcome>;
  readonly refused: Promise<Refusal>;
  readonly replaced: Promise<string>;
  readonly drained: Promise<string>;
  readonly ended: Promise<SessionEnd>;
  /** The next request that no earlier call has got. */
  nextRequest(): Promise<ScriptedRequest>;
  /** Cuts the TCP connection without any goodbye. */
  cut(): void;
}

export interface AgentScript extends Partial<Hello> {
  /** What to do with each request; default: leave it to the test. */
  readonly onRequest?: (request: ScriptedRequest) => void | Promise<void>;
  /** False: bytes are not given back as credit. Default true. */
  readonly reads?: boolean;
  /** False: no `hello` is sent. Default true. */
  readonly greets?: boolean;
}

/** An agent over a real WebSocket that does what a test tells it to. */
export async function connectAgent(relayUrl: string, script: AgentScript = {}): Promise<ScriptedAgent> {
  const socket = new WebSocket(`${relayUrl.replace("http", "ws")}${AGENT_PATH}`, SUBPROTOCOL, {
    perMessageDeflate: false,
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  return runScript(socket, script);
}

function runScript(socket: WebSocket, script: AgentScript): ScriptedAgent {
  const requests: ScriptedRequest[] = [];
  const waiting: ((request: ScriptedRequest) => void)[] = [];
  let handedOut = 0;
  const welcome = defer<Welcome>();
  const refusal = defer<Refusal>();
  const replaced = defer<string>();
  const drained = defer<string>();
  const ended = defer<SessionEnd>();
  const mux = createAgentMux(createWebSocketTransport(socket), {
    onWelcome: welcome.resolve,
    onRefused: refusal.resolve,
    onReplaced: replaced.resolve,
    onDrain: drained.resolve,
    onGap: () => undefined,
    onEnd: ended.resolve,
    onRequest(head, stream, first, isWhole) {
      const { request, handler } = receive(head, stream, { bytes: first.length, ended: isWhole }, script);
      requests.push(request);
      if (first.length > 0) {
        handler.onData(first);
      }
      if (isWhole) {
        handler.onEnd([]);
      }
      void script.onRequest?.(request);
      const next = waiting.shift();
      if (next !== undefined) {
        handedOut += 1;
        next(request);
      }
      return handler;
    },
  });
  if (script.greets !== false) {
    mux.hello(toHello(script));
  }
  return {
    mux,
    requests,
    welcomed: welcome.promise,
    refused: refusal.promise,
    replaced: replaced.promise,
    drained: drained.promise,
    ended: ended.promise,
    async nextRequest() {
      const request = requests[handedOut];
      if (request === undefined) {
        return await new Promise<ScriptedRequest>((resolve) => waiting.push(resolve));
      }
      handedOut += 1;
      return request;
    },
    cut: () => socket.terminate(),
  };
}

function receive(
  head: RequestHead,
  stream: ResponderStream,
  first: ScriptedRequest["first"],
  script: AgentScript,
): { request: ScriptedRequest; handler: StreamHandler } {
  const chunks: Uint8Array[] = [];
  const body = defer<{ bytes: Buffer; trailers: HeaderList }>();
  const closed = defer<StreamEnd>();
  let reset: string | undefined;
  let writable = defer<void>();
  let arrival = defer<void>();
  const request: ScriptedRequest = {
    head,
    stream,
    first,
    body: body.promise,
    closed: closed.promise,
    receivedBytes: () => chunks.reduce((sum, chunk) => sum + chunk.length, 0),
    async received(bytes) {
      while (request.receivedBytes() < bytes) {
        await arrival.promise;
      }
    },
    writable: async () => writable.promise,
  };
  const handler: StreamHandler = {
    onData(chunk) {
      chunks.push(chunk);
      arrival.resolve();
      arrival = defer<void>();
      if (script.reads !== false) {
        stream.consumed(chunk.length);
      }
    },
    onEnd: (trailers) => body.resolve({ bytes: Buffer.concat(chunks), trailers }),
    onWritable() {
      writable.resolve();
      writable = defer<void>();
    },
    onStop: () => undefined,
    onReset(code) {
      reset = code;
    },
    onClose: () => closed.resolve({ reset }),
  };
  return { request, handler };
}

function toHello(script: AgentScript): Hello {
  const { version = PROTOCOL_VERSION, token = "", resumeSecret = "secret-1", agent = "test/0" } = script;
  return { version, token, resumeSecret, agent, ...(script.name === undefined ? {} : { name: script.name }) };
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

/** A promise and the function that resolves it. */
function defer<T>(): Deferred<T> {
  const deferred: { resolve?: (value: T) => void } = {};
  const promise = new Promise<T>((resolve) => {
    deferred.resolve = resolve;
  });
  return { promise, resolve: (value) => deferred.resolve?.(value) };
}
