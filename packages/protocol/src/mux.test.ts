import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { createAgentMux, createRelayMux } from "./mux.ts";
import type { AgentMux, RelayMux, SessionEnd } from "./mux.ts";
import type { Hello, Welcome } from "./core/handshake.ts";
import type { HeaderList, RequestHead, ResponseHead } from "./core/head.ts";
import { INITIAL_WINDOW_BYTES, MAX_MESSAGE_BYTES } from "./core/limits.ts";
import { createMemoryLink } from "./testing/memory-transport.ts";
import type { Transport } from "./transport.ts";
import type { ResponderStream, StreamHandler, TunnelStream } from "./tunnel-stream.ts";
import { createWebSocketTransport } from "./websocket-transport.ts";

const HELLO: Hello = { version: "1", token: "t", resumeSecret: "r", agent: "test" };
const WELCOME: Welcome = {
  sessionId: "s",
  name: "n",
  url: "http://x",
  leaseMs: 1000,
  limits: { maxStreams: 4, maxBodyBytes: 0 },
};
const OK: ResponseHead = {
  status: 200,
  statusText: "OK",
  headers: ["X-Odd-CASE", "ä€".slice(0, 1), "x-odd-case", "2"],
};

function requestHead(target = "/hook"): RequestHead {
  return {
    id: "dlv_1",
    receivedAt: 1,
    method: "POST",
    target,
    headers: ["Host", "x", "X-A", "1", "x-a", "\u00FF"],
  };
}

/** Notes all that a stream says, and gives credit back when told to. */
class Recorder implements StreamHandler {
  readonly log: string[] = [];
  readonly chunks: Uint8Array[] = [];
  readonly closed: Promise<void>;
  stream: TunnelStream | undefined;
  autoConsume = true;
  #resolveClosed = (): void => {};
  #wakers: (() => void)[] = [];

  constructor() {
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  onResponse(head: ResponseHead): void {
    this.#note(`response ${head.status}`);
  }
  onData(chunk: Uint8Array): void {
    this.chunks.push(chunk.slice());
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
    return Buffer.concat(this.chunks);
  }

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

interface Pair {
  readonly relay: RelayMux;
  readonly agent: AgentMux;
  readonly requests: {
    head: RequestHead;
    stream: ResponderStream;
    handler: Recorder;
    first: Uint8Array;
    ended: boolean;
  }[];
  readonly ends: { relay?: SessionEnd; agent?: SessionEnd };
  nextRequest(): Promise<Pair["requests"][number]>;
  over: Promise<void>;
}

async function connect(relaySide: Transport, agentSide: Transport): Promise<Pair> {
  const requests: Pair["requests"] = [];
  const ends: Pair["ends"] = {};
  const waiting: ((request: Pair["requests"][number]) => void)[] = [];
  let taken = 0;
  let markOver = (): void => {};
  const over = new Promise<void>((resolve) => {
    markOver = resolve;
  });
  const noteEnd = (side: "relay" | "agent", end: SessionEnd) => {
    expect(ends[side]).toBeUndefined();
    ends[side] = end;
    if (ends.relay !== undefined && ends.agent !== undefined) markOver();
  };
  const relay = createRelayMux(relaySide, {
    onHello: () => relay.welcome(WELCOME),
    onEnd: (end) => noteEnd("relay", end),
  });
  let welcomed = (): void => {};
  const ready = new Promise<void>((resolve) => {
    welcomed = resolve;
  });
  const agent = createAgentMux(agentSide, {
    onWelcome: () => welcomed(),
    onRefused() {},
    onReplaced() {},
    onDrain() {},
    onGap() {},
    onRequest(head, stream, first, ended) {
      const handler = new Recorder();
      handler.stream = stream;
      const request = { head, stream, handler, first: first.slice(), ended };
      requests.push(request);
      waiting.shift()?.(request);
      return handler;
    },
    onEnd: (end) => noteEnd("agent", end),
  });
  agent.hello(HELLO);
  await ready;
  const nextRequest = () => {
    const present = requests[taken];
    taken += 1;
    if (present !== undefined) return Promise.resolve(present);
    return new Promise<Pair["requests"][number]>((resolve) => {
      waiting.push(resolve);
    });
  };
  return { relay, agent, requests, ends, nextRequest, over };
}

async function connectInMemory() {
  const [relaySide, agentSide] = createMemoryLink();
  const pair = await connect(relaySide, agentSide);
  onTestFinished(async () => {
    pair.relay.close("test over");
    await pair.over;
    expect([pair.relay.openStreams, pair.agent.openStreams]).toEqual([0, 0]);
  });
  return { ...pair, relaySide, agentSide };
}

async function connectOverSockets() {
  const server = new WebSocketServer({
    host: "127.0.0.1",
    port: 0,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  await once(server, "listening");
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    perMessageDeflate: false,
  });
  const [[serverSocket]] = (await Promise.all([once(server, "connection"), once(client, "open")])) as [
    [WebSocket],
    unknown,
  ];
  const pair = await connect(createWebSocketTransport(serverSocket), createWebSocketTransport(client));
  onTestFinished(async () => {
    pair.relay.close("test over");
    await pair.over;
    server.close();
    await once(server, "close");
  });
  return { ...pair, client };
}

function open(relay: RelayMux, options: { body?: Uint8Array; end?: boolean; target?: string } = {}) {
  const handler = new Recorder();
  const stream = relay.openStream(requestHead(options.target), handler, options);
  handler.stream = stream;
  return { handler, stream };
}

/** Writes all of `bytes` with respect for back-pressure. */
async function writeAll(
  stream: TunnelStream,
  handler: Recorder,
  bytes: Uint8Array,
  pieceBytes = 50_000,
): Promise<void> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const seen = handler.log.length;
    if (!stream.write(bytes.subarray(at, at + pieceBytes)))
      await handler.until(() => handler.log.slice(seen).includes("writable"));
  }
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe.each([
  ["in memory", connectInMemory],
  ["over a WebSocket", connectOverSockets],
] as const)("a session %s", (_, connectPair) => {
  it("carries a small delivery and its answer in one message each, heads byte for byte", async () => {
    const { relay, nextRequest } = await connectPair();
    const { handler } = open(relay, { body: Buffer.from("hello"), end: true, target: "//a/../%zz?" });
    const request = await nextRequest();
    expect(request).toMatchObject({ head: requestHead("//a/../%zz?"), ended: true });
    expect(Buffer.from(request.first).toString()).toBe("hello");

    request.stream.respond(OK, { body: Buffer.from("world"), end: true });
    await handler.closed;

    expect(handler.log).toEqual(["response 200", "end", "close"]);
    expect(handler.bytes.toString()).toBe("world");
    expect(request.handler.log).toEqual(["close"]);
  });

  it("streams large bodies both ways at once under back-pressure, with trailers at the end", async () => {
    const { relay, nextRequest } = await connectPair();
    const up = randomBytes(3_000_000);
    const down = randomBytes(2_000_000);
    const { handler, stream } = open(relay);
    const request = await nextRequest();
    request.stream.respond(OK);

    await Promise.all([writeAll(stream, handler, up), writeAll(request.stream, request.handler, down)]);
    stream.end(["X-Sum", "1"]);
    request.stream.end();
    await Promise.all([handler.closed, request.handler.closed]);

    expect(sha256(request.handler.bytes)).toBe(sha256(up));
    expect(sha256(handler.bytes)).toBe(sha256(down));
    expect(request.handler.log).toContain("end X-Sum 1");
  });

  it("keeps a stalled reader's sender within its window while other streams go on", async () => {
    const { relay, nextRequest } = await connectPair();
    const stalled = open(relay);
    const stalledRequest = await nextRequest();
    stalledRequest.handler.autoConsume = false;
    expect(stalled.stream.write(randomBytes(INITIAL_WINDOW_BYTES + 100_000))).toBe(false);

    const { handler } = open(relay, { body: Buffer.from("small"), end: true });
    const small = await nextRequest();
    small.stream.respond(OK, { end: true });
    await handler.closed;

    await stalledRequest.handler.until(() => stalledRequest.handler.bytes.length >= INITIAL_WINDOW_BYTES);
    expect(stalledRequest.handler.bytes).toHaveLength(INITIAL_WINDOW_BYTES);
    stalledRequest.stream.consumed(INITIAL_WINDOW_BYTES);
    await stalledRequest.handler.until(
      () => stalledRequest.handler.bytes.length === INITIAL_WINDOW_BYTES + 100_000,
    );
    stalled.stream.reset("caller-gone", "test");
    await stalledRequest.handler.closed;
    expect(stalledRequest.handler.log).toEqual(["reset caller-gone", "close"]);
  });

  it("ends an upload that the target does not want, and still brings its answer", async () => {
    const { relay, nextRequest } = await connectPair();
    const { handler, stream } = open(relay);
    const request = await nextRequest();

    request.stream.respond({ ...OK, status: 413 }, { end: true });
    request.stream.stop("response-complete");
    await Promise.all([handler.closed, request.handler.closed]);

    expect(handler.log).toEqual(["response 413", "end", "stop response-complete", "close"]);
    expect(stream.write(Buffer.from("late"))).toBe(false);
    expect(request.handler.log).toEqual(["close"]);
  });

  it("tells every open stream once when the link is cut, and ends once on each side", async () => {
    const { relay, agent, nextRequest, over, ends } = await connectPair();
    const { handler } = open(relay);
    const request = await nextRequest();

    agent.terminate();
    await over;

    expect(handler.log).toEqual(["reset session-lost", "close"]);
    expect(request.handler.log).toEqual(["reset session-lost", "close"]);
    expect(ends.relay?.kind).toBe("lost");
    expect([relay.openStreams, agent.openStreams]).toEqual([0, 0]);
    expect(() => open(relay)).toThrow(expect.objectContaining({ code: "session-not-open" }));
  });

  it("refuses a stream beyond the limit, and has room again when one is over", async () => {
    const { relay, nextRequest } = await connectPair();
    const first = open(relay);
    for (let i = 1; i < WELCOME.limits.maxStreams; i += 1) open(relay);
    expect(() => open(relay)).toThrow(expect.objectContaining({ code: "too-many-streams" }));

    first.stream.reset("caller-gone", "test");
    await (
      await nextRequest()
    ).handler.closed;

    expect(open(relay).stream.closed).toBe(false);
  });

  it("carries a head of a quarter of a megabyte in each direction", async () => {
    const { relay, nextRequest } = await connectPair();
    const headers = Array.from({ length: 400 }, (_value, i) => [`X-${i}`, "\u00E4".repeat(90)]).flat();
    const handler = new Recorder();
    relay.openStream({ ...requestHead(), headers }, handler, { body: randomBytes(60_000), end: true });
    const request = await nextRequest();
    expect(request.head.headers).toEqual(headers);
    if (!request.ended) await request.handler.until(() => request.handler.log.includes("end"));

    request.stream.respond({ ...OK, headers }, { end: true });
    await handler.closed;
    expect(handler.log).toEqual(["response 200", "end", "close"]);
  });
});

describe("a session over a WebSocket", () => {
  it("is ended by a text message, and by a message that is no frame", async () => {
    for (const message of ["text", Buffer.from([0xff, 0, 0, 0, 0])]) {
      const { client, over, ends } = await connectOverSockets();
      client.send(message);
      await over;
      expect(ends.relay).toBeDefined();
    }
  });
});

describe("the order of waiting streams", () => {
  it("gives a small answer its turn between the messages of a large one once the transport has room", async () => {
    const { relay, nextRequest, agentSide } = await connectInMemory();
    const handlers = [open(relay), open(relay)] as const;
    const large = await nextRequest();
    const small = await nextRequest();
    agentSide.fill(2 * 1024 * 1024);
    large.stream.respond(OK);
    large.stream.write(randomBytes(200_000));
    small.stream.respond(OK);
    small.stream.write(Buffer.from("small"));
    expect(handlers[0].handler.bytes).toHaveLength(0);

    agentSide.sent.length = 0;
    agentSide.drain();
    await handlers[1].handler.until(() => handlers[1].handler.bytes.length === 5);

    const order = agentSide.sent.filter((message) => message[0] === 0x12).map((message) => message[4]);
    expect(order.indexOf(small.stream.id)).toBeLessThan(2);
    for (const { stream } of handlers) stream.reset("caller-gone", "test");
  });
});
