import { createServer } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { CliError } from "../errors.ts";
import { createForwarder } from "../forward/create-forwarder.ts";
import { startRawTarget } from "../forward/testing/raw-target.ts";
import type { RawTarget } from "../forward/testing/raw-target.ts";
import { createAgent } from "./agent.ts";
import type { AgentDeps } from "./agent.ts";
import type { RelayLink } from "./connect-relay.ts";
import { startPublicRelay } from "./embedded-relay.ts";
import { createMemoryRecords } from "./testing/memory-records.ts";
import type { MemoryRecords } from "./testing/memory-records.ts";

const TOKEN = "token-of-the-test";
const OK = "HTTP/1.1 200 OK\r\nset-COOKIE: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 2\r\n\r\nok";
const opened: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const item of opened.splice(0).toReversed()) {
    await item.close();
  }
});

async function startRelay(port = 0): Promise<{ url: string; port: number; close(): Promise<void> }> {
  const relay = await startPublicRelay(
    { host: "127.0.0.1", port, tokens: [TOKEN] },
    { now: Date.now, log: () => {} },
  );
  opened.push({ close: () => relay.close(0) });
  return { url: relay.url, port: relay.port, close: () => relay.close(0) };
}

interface RunningAgent {
  readonly records: MemoryRecords;
  readonly target: RawTarget;
  /** Settles as `run` does. */
  readonly running: Promise<void>;
  stop(): void;
  /** URL of the tunnel, once it is up. */
  ready(times?: number): Promise<string>;
}

async function startAgent(
  relayUrl: string,
  changes: Partial<RelayLink> & { sleep?: AgentDeps["sleep"] } = {},
): Promise<RunningAgent> {
  const { sleep, ...link } = changes;
  const target = await startRawTarget();
  const forwarder = createForwarder();
  const records = createMemoryRecords();
  const stopping = new AbortController();
  const agent = createAgent(
    {
      link: { url: relayUrl, token: TOKEN, resumeSecret: "resume-1", agent: "tenfold/test", ...link },
      target: {
        url: `http://127.0.0.1:${target.port}`,
        idempotencyHeader: null,
        hostHeader: "preserve",
        timeoutMs: 5_000,
      },
      secrets: new Map(),
      folder: "/shop",
      recordOnly: false,
    },
    {
      forwarder,
      history: records.history,
      now: Date.now,
      onEvent: (event) => records.onEvent(event),
      random: () => 0,
      sleep: sleep ?? neverWoken,
    },
  );
  const running = agent.run(stopping.signal);
  running.catch(() => {});
  opened.push(target, forwarder, {
    close: async () => {
      stopping.abort();
      await running.catch(() => {});
    },
  });
  return {
    records,
    target,
    running,
    stop: () => stopping.abort(),
    async ready(times = 1) {
      await records.until((events) => events.filter(({ type }) => type === "ready").length >= times);
      const event = records.events.findLast(({ type }) => type === "ready");
      return event?.type === "ready" ? event.url : "";
    },
  };
}

/** Only the signal ends it: a test that needs a later try says when. */
function neverWoken(_ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) {
      resolve();
    }
  });
}

/** Writes `request` to the server of `url` and resolves with all it sends until it closes, one char per byte. */
function exchangeRaw(url: string, request: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(request, "latin1"));
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    socket.on("close", () => resolve(received));
    socket.on("error", () => {});
  });
}

describe("a tunnel", () => {
  it("takes a request from the public URL to the target and its answer back, byte for byte", async () => {
    const relay = await startRelay();
    const agent = await startAgent(relay.url, { name: "shop" });
    const url = await agent.ready();
    expect(url).toBe(`${relay.url}/t/shop`);
    const answer = exchangeRaw(
      url,
      "POST /t/shop//a/%zz?x=1&x=2 HTTP/1.1\r\nX-Tag: a\r\nhOST: public.test\r\nx-tag: b\r\nContent-Length: 4\r\nConnection: close\r\n\r\n\x00\xffab",
    );
    const connection = await agent.target.connection(0);
    await connection.receivedText("\x00\xffab");
    connection.send(OK);
    expect(await answer).toMatch(
      /^HTTP\/1\.1 200 OK\r\nset-COOKIE: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 2\r\n[^]*\r\n\r\nok$/,
    );
    const [requestLine, ...lines] = connection.received().split("\r\n");
    expect(requestLine).toBe("POST //a/%zz?x=1&x=2 HTTP/1.1");
    expect(lines.slice(0, 4)).toEqual(["X-Tag: a", "hOST: public.test", "x-tag: b", "Content-Length: 4"]);
    await agent.records.until((events) => events.some(({ type }) => type === "attempt"));
    expect(agent.records.attempts).toMatchObject([{ outcome: "acknowledged", status: 200 }]);
    expect(agent.records.deliveries).toMatchObject([
      { tunnel: "shop", path: "//a/%zz?x=1&x=2", folder: "/shop" },
    ]);
  });

  it("sends no body headers for a GET", async () => {
    const relay = await startRelay();
    const agent = await startAgent(relay.url, { name: "shop" });
    const answer = exchangeRaw(
      await agent.ready(),
      "GET /t/shop/x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
    );
    const connection = await agent.target.connection(0);
    await connection.receivedText("\r\n\r\n");
    connection.send(OK);
    await answer;
    expect(connection.received().toLowerCase()).not.toMatch(/transfer-encoding|content-length/);
  });

  it("streams a large body both ways with nothing lost", async () => {
    const relay = await startRelay();
    const agent = await startAgent(relay.url, { name: "shop" });
    const url = await agent.ready();
    const body = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => index % 251));
    const server = createServer((request, response) => request.pipe(response));
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    opened.push({ close: async () => server.close() });
    const answering = fetch(url, { method: "POST", body });
    const { socket } = await agent.target.connection(0);
    const onward = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.pipe(onward).pipe(socket);
    const answer = await answering;
    expect(Buffer.from(await answer.arrayBuffer()).equals(body)).toBe(true);
  });

  it("answers 502 for a target that is not there, and records the attempt", async () => {
    const relay = await startRelay();
    const agent = await startAgent(relay.url, { name: "shop" });
    const url = await agent.ready();
    await agent.target.close();
    opened.splice(opened.indexOf(agent.target), 1);
    const answer = await fetch(url, { method: "POST", body: "x" });
    expect(answer.status).toBe(502);
    await agent.records.until((events) => events.some(({ type }) => type === "attempt"));
    expect(agent.records.attempts).toMatchObject([{ outcome: "refused" }]);
  });

  it("lets what is in flight come to its answer when told to stop", async () => {
    const relay = await startRelay();
    const agent = await startAgent(relay.url, { name: "shop" });
    const answer = fetch(await agent.ready(), { method: "POST", body: "x" });
    const connection = await agent.target.connection(0);
    await connection.receivedText("x");
    agent.stop();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    await agent.running;
    expect(agent.records.attempts).toMatchObject([{ outcome: "acknowledged" }]);
    expect((await answer).status).toBe(200);
  });

  it("stops at a bound all the same; what is in flight then is recorded as cancelled", async () => {
    const relay = await startRelay();
    const agent = await startAgent(relay.url, { name: "shop", sleep: async () => {} });
    const answer = fetch(await agent.ready(), { method: "POST", body: "x" });
    await (await agent.target.connection(0)).receivedText("x");
    agent.stop();
    await agent.running;
    expect(agent.records.attempts).toMatchObject([{ outcome: "cancelled" }]);
    expect((await answer).status).toBe(502);
  });
});

describe("a lost relay", () => {
  it("is shown, and the tunnel comes back under the same name, again and again", async () => {
    const first = await startRelay();
    let wake: (() => void) | undefined;
    const waits: number[] = [];
    const agent = await startAgent(first.url, {
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          waits.push(ms);
          wake = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
        }),
    });
    const url = await agent.ready();
    let relay = first;
    for (const round of [1, 2, 3]) {
      await relay.close();
      await agent.records.until(
        (events) => events.filter(({ type }) => type === "down").length >= 2 * round - 1,
      );
      // One try while the relay is still away, then it is back.
      wake?.();
      await agent.records.until((events) => events.filter(({ type }) => type === "down").length >= 2 * round);
      relay = await startRelay(first.port);
      wake?.();
      expect(await agent.ready(round + 1)).toBe(url);
    }
    expect(waits.slice(0, 6)).toEqual([500, 500, 500, 500, 500, 500]);
  });
});

async function failureOf(running: Promise<void>): Promise<CliError> {
  const error: unknown = await running.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CliError)) {
    throw new TypeError(`no CliError: ${String(error)}`);
  }
  return error;
}

describe("an agent ends with exit code 4", () => {
  it("when the relay refuses its token, with the relay's reason and hint", async () => {
    const relay = await startRelay();
    const agent = await startAgent(relay.url, { token: "wrong-token" });
    const failure = await failureOf(agent.running);
    expect([failure.code, failure.exitCode]).toEqual(["relay-refused", 4]);
    expect(failure.message).toContain("bad-token");
    expect(failure.hint).not.toBe("");
    expect(`${failure.message}${failure.hint}`).not.toContain("wrong-token");
  });

  it("when no relay is there at the first try", async () => {
    const relay = await startRelay();
    await relay.close();
    const failure = await failureOf((await startAgent(relay.url)).running);
    expect([failure.code, failure.exitCode]).toEqual(["relay-unreachable", 4]);
    expect(failure.message).toContain(relay.url);
    expect(failure.message).toContain("connection refused");
  });

  it("when another server is there", async () => {
    const server = createServer((_request, response) => response.writeHead(404).end());
    server.on("upgrade", (_request, socket) =>
      socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n"),
    );
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    opened.push({ close: async () => server.close() });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const failure = await failureOf((await startAgent(url)).running);
    expect(failure.code).toBe("relay-unreachable");
    expect(failure.message).toContain("404");
  });

  it("when another agent with the same token takes the name; that one stays", async () => {
    const relay = await startRelay();
    const first = await startAgent(relay.url, { name: "shop" });
    await first.ready();
    const second = await startAgent(relay.url, { name: "shop", resumeSecret: "resume-2" });
    await second.ready();
    const failure = await failureOf(first.running);
    expect([failure.code, failure.exitCode]).toEqual(["replaced", 4]);
    expect(failure.message).toContain("shop");
  });

  it("but with 2 when a token would cross an open network", async () => {
    const failure = await failureOf((await startAgent("http://hooks.example.com")).running);
    expect([failure.code, failure.exitCode]).toEqual(["plaintext-token", 2]);
  });
});

it("an agent that is stopped while it connects ends without an error", async () => {
  const silent = await startRawTarget();
  opened.push(silent);
  const agent = await startAgent(`http://127.0.0.1:${silent.port}`);
  await (await silent.connection(0)).receivedText("\r\n\r\n");
  agent.stop();
  await agent.running;
  expect(agent.records.events).toEqual([]);
});
