import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { encodeFrame } from "./core/frame-codec.ts";
import { FRAME_TYPE } from "./core/frame.ts";
import type { Frame } from "./core/frame.ts";
import type { RequestHead, ResponseHead } from "./core/head.ts";
import {
  INITIAL_WINDOW_BYTES,
  MAX_MESSAGE_BYTES,
  SEND_HIGH_WATER_BYTES,
  SEND_LIMIT_BYTES,
  SEND_LOW_WATER_BYTES,
  SMALL_BODY_BYTES,
} from "./core/limits.ts";
import { HELLO, REQUEST, WELCOME } from "./testing/frame-factory.ts";
import { createMemoryLink } from "./testing/memory-transport.ts";
import { createAgentMux } from "./mux.ts";
import { connectMuxes, openStream, RecordingHandler } from "./testing/mux-pair.ts";
import type { TunnelStream } from "./tunnel-stream.ts";
import { createWebSocketTransport } from "./websocket-transport.ts";

const OK: ResponseHead = {
  status: 200,
  statusText: "OK",
  headers: ["X-Odd-CASE", "\u00E4", "x-odd-case", "2"],
};
const HEAD: RequestHead = {
  ...REQUEST,
  method: "POST",
  target: "//a/../%zz?",
  headers: ["Host", "x", "X-A", "1", "x-a", "\u00FF"],
};

async function connectInMemory() {
  const [relaySide, agentSide] = createMemoryLink();
  const pair = await connectMuxes(relaySide, agentSide);
  onTestFinished(async () => {
    pair.relay.close("test over");
    await pair.over;
    expect([pair.relay.openStreams, pair.agent.openStreams]).toEqual([0, 0]);
    expect([pair.ends.relay.length, pair.ends.agent.length]).toEqual([1, 1]);
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
  const serverTransport = createWebSocketTransport(serverSocket);
  const pair = await connectMuxes(serverTransport, createWebSocketTransport(client));
  onTestFinished(async () => {
    pair.relay.close("test over");
    await pair.over;
    server.close();
    await once(server, "close");
  });
  return { ...pair, client, serverTransport };
}

/** Writes all of `bytes` with respect for back-pressure. */
async function writeAll(
  stream: TunnelStream,
  handler: RecordingHandler,
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
    const { handler } = openStream(relay, { head: HEAD, body: Buffer.from("hello"), end: true });
    const request = await nextRequest();
    expect(request).toMatchObject({ head: HEAD, ended: true });
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
    const { handler, stream } = openStream(relay);
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
    const stalled = openStream(relay);
    const stalledRequest = await nextRequest();
    stalledRequest.handler.autoConsume = false;
    expect(stalled.stream.write(randomBytes(INITIAL_WINDOW_BYTES + 100_000))).toBe(false);

    const { handler } = openStream(relay, { body: Buffer.from("small"), end: true });
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
    const { handler, stream } = openStream(relay);
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
    const { handler } = openStream(relay);
    const request = await nextRequest();

    agent.terminate();
    await over;

    expect(handler.log).toEqual(["reset session-lost", "close"]);
    expect(request.handler.log).toEqual(["reset session-lost", "close"]);
    expect([ends.relay.length, ends.agent.length]).toEqual([1, 1]);
    expect(ends.relay[0]?.kind).toBe("lost");
    expect([relay.openStreams, agent.openStreams]).toEqual([0, 0]);
    expect(() => openStream(relay)).toThrow(expect.objectContaining({ code: "session-not-open" }));
  });

  it("refuses a stream beyond the limit, and has room again when one is over", async () => {
    const { relay, nextRequest } = await connectPair();
    const first = openStream(relay);
    for (let i = 1; i < WELCOME.limits.maxStreams; i += 1) openStream(relay);
    expect(() => openStream(relay)).toThrow(expect.objectContaining({ code: "too-many-streams" }));

    first.stream.reset("caller-gone", "test");
    await (
      await nextRequest()
    ).handler.closed;

    expect(openStream(relay).stream.closed).toBe(false);
  });

  it("carries a head of a quarter of a megabyte in each direction", async () => {
    const { relay, nextRequest } = await connectPair();
    const headers = Array.from({ length: 400 }, (_value, i) => [`X-${i}`, "\u00E4".repeat(90)]).flat();
    const head = { ...HEAD, headers };
    const { handler } = openStream(relay, { head, body: randomBytes(60_000), end: true });
    const request = await nextRequest();
    expect(request.head.headers).toEqual(headers);
    if (!request.ended) await request.handler.until(() => request.handler.log.includes("end"));

    request.stream.respond({ ...OK, headers }, { end: true });
    await handler.closed;
    expect(handler.log).toEqual(["response 200", "end", "close"]);
  });
});

describe("a session over a WebSocket", () => {
  it.each([
    ["a text message", "text", "binary messages only"],
    ["a message that is no frame", Buffer.from([0xff, 0, 0, 0, 0]), "malformed-frame"],
  ])("is ended as a breach of the protocol by %s", async (_, message, reason) => {
    const { client, over, ends } = await connectOverSockets();
    const closed = once(client, "close");
    client.send(message);
    await over;
    expect(ends.relay[0]).toMatchObject({ kind: "protocol", reason: expect.stringContaining(reason) });
    expect((await closed)[0]).toBe(typeof message === "string" ? 1003 : 1002);
  });

  it("ends at once when the socket was closed before it got its owner", async () => {
    const { client, relay, over } = await connectOverSockets();
    relay.close("first session over");
    await over;
    const transport = createWebSocketTransport(client);
    const closed = new Promise((resolve) => {
      const ignore = (): void => {};
      transport.setHandler({
        onMessage: ignore,
        onPong: ignore,
        onDrain: ignore,
        onViolation: ignore,
        onClose: resolve,
      });
    });
    expect(await closed).toBe(false);
  });

  it("keeps what waits in the socket within the high-water mark while the peer does not read", async () => {
    const { client, relay, serverTransport, nextRequest } = await connectOverSockets();
    const streams = [openStream(relay), openStream(relay), openStream(relay), openStream(relay)];
    const requests = [await nextRequest(), await nextRequest(), await nextRequest(), await nextRequest()];
    client.pause();
    const size = 4 * SEND_HIGH_WATER_BYTES;
    const written = streams.map(({ stream, handler }) => writeAll(stream, handler, randomBytes(size)));
    expect(serverTransport.bufferedBytes).toBeLessThan(SEND_HIGH_WATER_BYTES + MAX_MESSAGE_BYTES);

    client.resume();
    await Promise.all(written);
    await Promise.all(requests.map(({ handler }) => handler.until(() => handler.bytes.length === size)));
    expect(serverTransport.bufferedBytes).toBeLessThan(SEND_HIGH_WATER_BYTES + MAX_MESSAGE_BYTES);
    for (const { stream } of streams) stream.reset("caller-gone", "test");
  });
});

/** Makes the agent's transport full, with streams that are open in both directions. */
async function connectFull(streams: number) {
  const pair = await connectInMemory();
  const opened = Array.from({ length: streams }, () => openStream(pair.relay));
  const requests = await Promise.all(opened.map(() => pair.nextRequest()));
  pair.agentSide.fill(2 * SEND_HIGH_WATER_BYTES);
  pair.agentSide.sent.length = 0;
  onTestFinished(() => {
    for (const { stream } of opened) stream.reset("caller-gone", "test");
  });
  return { ...pair, opened, requests };
}

describe("a transport that is full", () => {
  it("gives a small answer its turn between the messages of a large one once it has room", async () => {
    const { agentSide, opened, requests } = await connectFull(2);
    const [large, small] = requests;
    large?.stream.respond(OK);
    large?.stream.write(randomBytes(200_000));
    small?.stream.respond(OK);
    small?.stream.write(Buffer.from("small"));
    expect(opened[0]?.handler.bytes).toHaveLength(0);

    agentSide.drain();
    await opened[1]?.handler.until(() => opened[1]?.handler.bytes.length === 5);

    const order = agentSide.sent.filter((message) => message[0] === 0x12).map((message) => message[4]);
    expect(order.indexOf(small?.stream.id)).toBeLessThan(2);
  });

  it("lets a stream with credit wait its turn until the low-water mark, so that those in line are not starved", async () => {
    const { agentSide, requests } = await connectFull(2);
    const [early, late] = requests;
    early?.stream.respond(OK);
    late?.stream.respond(OK);
    expect(early?.stream.write(Buffer.from("early"))).toBe(false);
    agentSide.fill((SEND_HIGH_WATER_BYTES + SEND_LOW_WATER_BYTES) / 2);

    expect(late?.stream.write(Buffer.from("late"))).toBe(false);
    const data = () => agentSide.sent.filter((message) => message[0] === 0x12);
    expect(data()).toEqual([]);

    agentSide.drain();
    expect(data().map((message) => message[4])).toEqual([early?.stream.id, late?.stream.id]);
    expect([early?.handler.log, late?.handler.log]).toEqual([["writable"], ["writable"]]);
  });

  it("tells an owner that waited for credit and then for room once there is both", async () => {
    const { agentSide, opened, requests } = await connectFull(1);
    const [request] = requests;
    const [upload] = opened;
    if (upload !== undefined) upload.handler.autoConsume = false;
    agentSide.drain();
    request?.stream.respond(OK);
    expect(request?.stream.write(randomBytes(INITIAL_WINDOW_BYTES + 10))).toBe(false);
    await upload?.handler.until(() => upload.handler.bytes.length === INITIAL_WINDOW_BYTES);

    agentSide.fill(SEND_HIGH_WATER_BYTES - 5);
    upload?.stream.consumed(INITIAL_WINDOW_BYTES);
    await upload?.handler.until(() => upload.handler.bytes.length === INITIAL_WINDOW_BYTES + 10);
    expect(request?.handler.log).toEqual([]);
    agentSide.drain();
    expect(request?.handler.log).toEqual(["writable"]);
  });

  it("takes a small answer at once and keeps a larger one back, whose owner is told when it has left", async () => {
    const { agentSide, opened, requests } = await connectFull(3);
    const [small, large, headOnly] = requests;
    small?.stream.respond(OK, { body: Buffer.from("small"), end: true });
    expect(large?.stream.respond(OK, { body: randomBytes(SMALL_BODY_BYTES + 1) })).toBe(false);
    expect(headOnly?.stream.respond(OK)).toBe(false);
    expect(agentSide.sent.reduce((sum, message) => sum + message.length, 0)).toBeLessThan(1000);

    agentSide.drain();
    await opened[1]?.handler.until(() => opened[1]?.handler.bytes.length === SMALL_BODY_BYTES + 1);
    expect(opened[0]?.handler.log).toEqual(["response 200", "end"]);
    expect([large?.handler.log, headOnly?.handler.log]).toEqual([["writable"], ["writable"]]);
  });

  it("keeps back the body of a new delivery, and sends it whole with its end later", async () => {
    const { relay, relaySide, nextRequest } = await connectInMemory();
    relaySide.fill(2 * SEND_HIGH_WATER_BYTES);
    const body = randomBytes(SMALL_BODY_BYTES + 1);
    const { stream } = openStream(relay, { body, end: true });
    const request = await nextRequest();
    expect(request).toMatchObject({ ended: false, first: new Uint8Array(0) });

    relaySide.drain();
    await request.handler.until(() => request.handler.log.includes("end"));
    expect(request.handler.bytes).toEqual(body);
    stream.reset("caller-gone", "test");
  });

  it("is given up once a peer that reads nothing has made it hold more than the limit", async () => {
    const { relay, agentSide, over, ends, nextRequest } = await connectInMemory();
    const { handler } = openStream(relay);
    const request = await nextRequest();
    agentSide.fill(SEND_LIMIT_BYTES + 1);
    request.stream.respond(OK);
    await over;
    expect(ends.agent[0]).toMatchObject({ kind: "lost" });
    expect(handler.log).toEqual(["reset session-lost", "close"]);
  });
});

describe("an agent at its limit of streams", () => {
  it("resets the one stream too many, for a relay that does not count, and keeps the others", async () => {
    const [relaySide, agentSide] = createMemoryLink();
    const ignore = (): void => {};
    const ended = new Promise((onEnd) => {
      const agent = createAgentMux(agentSide, {
        onWelcome: ignore,
        onRefused: ignore,
        onReplaced: ignore,
        onDrain: ignore,
        onGap: ignore,
        onRequest: () => new RecordingHandler(),
        onEnd,
      });
      agent.hello(HELLO);
      relaySide.setHandler({
        onPong: ignore,
        onDrain: ignore,
        onClose: ignore,
        onMessage(message) {
          if (message[0] !== FRAME_TYPE.reset) return;
          expect([message[4], agent.openStreams]).toEqual([5, WELCOME.limits.maxStreams]);
          agent.close("test over");
        },
      });
    });
    const send = (frame: Frame) => {
      for (const message of encodeFrame(frame)) relaySide.send(message);
    };
    send({ name: "welcome", welcome: WELCOME });
    for (let stream = 1; stream <= WELCOME.limits.maxStreams + 1; stream += 1) {
      send({ name: "request", stream, head: HEAD, body: Buffer.of(), end: true });
    }
    expect(await ended).toEqual({ kind: "closed", reason: "test over" });
  });
});

describe("what can't be sent", () => {
  it("is refused with a head alone: the stream and the session go on", async () => {
    const { relay, nextRequest } = await connectInMemory();
    const bad = { ...HEAD, headers: ["A", "b\r\nX: y"] };
    expect(() => openStream(relay, { head: bad })).toThrow(
      expect.objectContaining({ code: "malformed-frame" }),
    );
    const { handler } = openStream(relay, { end: true });
    const request = await nextRequest();
    expect(() => request.stream.respond({ ...OK, headers: bad.headers })).toThrow(
      expect.objectContaining({ code: "malformed-frame" }),
    );
    request.stream.respond(OK, { end: true });
    await handler.closed;
    expect(handler.log).toEqual(["response 200", "end", "close"]);
  });

  it.each([
    ["too large", ["X-Sum", "\u00FF".repeat(20_000)]],
    ["malformed", ["X Sum", "1"]],
  ])("resets the stream alone when its trailers are %s", async (_, trailers) => {
    const { relay, nextRequest } = await connectInMemory();
    const { handler } = openStream(relay);
    const request = await nextRequest();
    request.stream.respond(OK);
    request.stream.end(trailers);
    await handler.closed;
    expect(handler.log).toEqual(["response 200", "reset target-bad-answer", "close"]);

    const upload = openStream(relay);
    const next = await nextRequest();
    upload.stream.end(trailers);
    await next.handler.closed;
    expect(next.handler.log).toEqual(["reset too-large", "close"]);
  });
});
