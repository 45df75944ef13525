import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createForwarder } from "./create-forwarder.ts";
import type { Forwarder, ForwardRequest } from "./forwarder.ts";
import type { Target } from "./target.ts";
import { answerEachHead, startRawTarget } from "./testing/raw-target.ts";
import type { RawTarget, TargetConnection } from "./testing/raw-target.ts";
import { createRecordingSink } from "./testing/recording-sink.ts";
import { createFedBody } from "./testing/streaming-body.ts";

const EMPTY = new Uint8Array();
const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const item of opened.splice(0).toReversed()) {
    await item.close();
  }
});

function newForwarder(...args: Parameters<typeof createForwarder>): Forwarder {
  const forwarder = createForwarder(...args);
  opened.push(forwarder);
  return forwarder;
}

async function rawTarget(...args: Parameters<typeof startRawTarget>): Promise<RawTarget> {
  const target = await startRawTarget(...args);
  opened.push(target);
  return target;
}

function targetAt(url: string, settings: Partial<Target> = {}): Target {
  return { url, idempotencyHeader: null, hostHeader: "preserve", timeoutMs: 5_000, ...settings };
}

function at(target: RawTarget, settings: Partial<Target> = {}): Target {
  return targetAt(`http://127.0.0.1:${target.port}`, settings);
}

function get(path = "/", headers: readonly string[] = ["Host", "h.test"]): ForwardRequest {
  return { method: "GET", path, headers, body: EMPTY };
}

function post(body: ForwardRequest["body"], headers: readonly string[] = ["Host", "h.test"]): ForwardRequest {
  return { method: "POST", path: "/hook", headers, body };
}

async function portWithoutListener(): Promise<number> {
  const target = await startRawTarget();
  await target.close();
  return target.port;
}

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

describe("what a target reads", () => {
  it("is a Content-Disposition with bytes beyond ASCII as it came, also behind a Content-Length", async () => {
    const target = await rawTarget(answerEachHead(OK));
    const headers = ["Host", "h.test", "Content-Length", "1", "Content-Disposition", 'a="\u00E9"'];
    const result = await newForwarder().forward(
      at(target),
      post(Buffer.from("x"), headers),
      createRecordingSink(),
    );
    expect(result.outcome).toBe("answered");
    expect((await target.connection(0)).received()).toContain('Content-Disposition: a="\u00E9"');
  });

  it("is never more than the announced length: the rest would be its next request", async () => {
    const target = await rawTarget(() => {});
    const body = createFedBody();
    const forwarding = newForwarder().forward(
      at(target),
      post(body, ["Host", "h.test", "Content-Length", "3"]),
      createRecordingSink(),
    );
    body.push("abc");
    body.push("GET /SMUGGLED HTTP/1.1\r\n\r\n");
    expect((await forwarding).outcome).toBe("cancelled");
    expect((await target.connection(0)).received()).not.toContain("SMUGGLED");
  });

  it("is the request byte for byte: path, header case, order and repeats, body", async () => {
    const target = await rawTarget(answerEachHead(OK));
    const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const headers = [
      "User-Agent",
      "x/1",
      "X-Tag",
      "a",
      "hOST",
      "h.test",
      "x-tag",
      "b",
      "content-LENGTH",
      "256",
    ];
    const request: ForwardRequest = { method: "POST", path: "//a/../%zz?x=%20+%2B&x=\xe9", headers, body };
    const result = await newForwarder().forward(at(target), request, createRecordingSink());
    expect(result.outcome).toBe("answered");
    const [head, ...rest] = (target.connections[0]?.received() ?? "").split("\r\n\r\n");
    expect(head?.split("\r\n")).toEqual([
      "POST //a/../%zz?x=%20+%2B&x=\xe9 HTTP/1.1",
      "User-Agent: x/1",
      "X-Tag: a",
      "hOST: h.test",
      "x-tag: b",
      "content-LENGTH: 256",
      "Connection: keep-alive",
    ]);
    expect(Buffer.from(rest.join("\r\n\r\n"), "latin1").equals(body)).toBe(true);
  });

  it.each([
    [
      "PUT with Content-Length: 0",
      "PUT",
      ["Host", "h", "Content-Length", "0"],
      ["Host: h", "Content-Length: 0"],
    ],
    ["DELETE without a body", "DELETE", ["Host", "h"], ["Host: h"]],
    ["GET without a body", "GET", ["Host", "h"], ["Host: h"]],
    ["POST without a body", "POST", ["Host", "h"], ["Host: h", "Content-Length: 0"]],
    ["PURGE without a body", "PURGE", ["Host", "h"], ["Host: h", "Content-Length: 0"]],
  ])("has the right body headers for %s", async (_title, method, headers, lines) => {
    const target = await rawTarget(answerEachHead(OK));
    await newForwarder().forward(
      at(target),
      { method, path: "/x", headers, body: EMPTY },
      createRecordingSink(),
    );
    const head = target.connections[0]?.received() ?? "";
    expect(head).toBe(`${method} /x HTTP/1.1\r\n${lines.join("\r\n")}\r\nConnection: keep-alive\r\n\r\n`);
  });

  it("is chunked while it comes in without a length, each chunk at once, trailers last", async () => {
    const target = await rawTarget();
    const body = { ...createFedBody(), trailers: () => ["X-Sum", "1"] };
    const forwarding = newForwarder().forward(at(target), post(body), createRecordingSink());
    const connection = await target.connection(0);
    body.push("first");
    await connection.receivedText("5\r\nfirst\r\n");
    body.push("second!");
    await connection.receivedText("7\r\nsecond!\r\n");
    body.end();
    await connection.receivedText("0\r\nX-Sum: 1\r\n\r\n");
    connection.send(OK);
    expect((await forwarding).outcome).toBe("answered");
    expect(connection.received()).toContain("Transfer-Encoding: chunked\r\n");
  });

  it("is not chunked when the sender gave a length", async () => {
    const target = await rawTarget();
    const body = createFedBody();
    const headers = ["Host", "h.test", "Content-Length", "4"];
    const forwarding = newForwarder().forward(at(target), post(body, headers), createRecordingSink());
    const connection = await target.connection(0);
    body.push("ab");
    body.push("cd");
    body.end();
    await connection.receivedText("\r\n\r\nabcd");
    connection.send(OK);
    expect((await forwarding).outcome).toBe("answered");
    expect(connection.received()).not.toContain("chunked");
  });

  it("is asked for no faster than the target reads", async () => {
    const target = await rawTarget(({ socket }) => socket.pause());
    const body = createFedBody();
    const chunk = "x".repeat(512 * 1024);
    for (let count = 0; count < 64; count += 1) {
      body.push(chunk);
    }
    body.end();
    const forwarding = newForwarder().forward(at(target), post(body), createRecordingSink());
    const connection = await target.connection(0);
    await untilStable(() => body.asked);
    expect(body.asked).toBeLessThan(40);
    connection.socket.resume();
    await connection.receivedText("\r\n0\r\n\r\n");
    connection.send(OK);
    expect((await forwarding).outcome).toBe("answered");
  });
});

/** Resolves once a request to a target that stays silent has met a deadline of `timeoutMs`. */
async function timedOut(timeoutMs: number): Promise<void> {
  const silent = await rawTarget();
  const result = await newForwarder().forward(at(silent, { timeoutMs }), get(), createRecordingSink());
  expect(result.outcome).toBe("timeout");
}

/** Turns of the event loop, not time: until the value has been the same for 200 of them. */
async function untilStable(value: () => number): Promise<void> {
  let last = -1;
  for (let same = 0; same < 200;) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    same = value() === last ? same + 1 : 0;
    last = value();
  }
}

describe("what comes back from a target", () => {
  it("is the answer byte for byte: reason, header case, order and repeats, without hop-by-hop fields", async () => {
    const head = [
      "HTTP/1.1 299 Gar nicht \xfcbel",
      "set-COOKIE: a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
      "Connection: keep-alive, X-Own",
      "Keep-Alive: timeout=5",
      "X-Own: 1",
      "Set-Cookie: b=\xe9",
      "Vary: A",
      "Vary: B",
      "Content-Encoding: x-foo",
      "Content-Length: 3",
    ];
    const answerFields = [1, 5, 6, 7, 8, 9].flatMap(
      (index) => head[index]?.split(/: (.*)/).slice(0, 2) ?? [],
    );
    const target = await rawTarget(answerEachHead(`${head.join("\r\n")}\r\n\r\n\x00\xff\x1f`));
    const sink = createRecordingSink();
    const result = await newForwarder().forward(at(target), get(), sink);
    expect(result.outcome).toBe("answered");
    expect(sink.heads).toEqual([
      {
        status: 299,
        statusText: "Gar nicht \xfcbel",
        headers: answerFields,
      },
    ]);
    expect(sink.text()).toBe("\x00\xff\x1f");
    expect(sink.trailers).toEqual([[]]);
  });

  it("carries trailers and leaves interim answers out", async () => {
    const answer =
      "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" +
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 7\r\n\r\n";
    const target = await rawTarget(answerEachHead(answer));
    const sink = createRecordingSink();
    await newForwarder().forward(at(target), get(), sink);
    expect(sink.heads.map(({ status }) => status)).toEqual([200]);
    expect(sink.heads[0]?.headers).toEqual(["Trailer", "X-Sum"]);
    expect(sink.text()).toBe("abc");
    expect(sink.trailers).toEqual([["X-Sum", "7"]]);
  });

  it("comes piece by piece, as server-sent events do", async () => {
    const target = await rawTarget();
    const sink = createRecordingSink();
    const forwarding = newForwarder().forward(at(target, { timeoutMs: 100 }), get(), sink);
    const connection = await target.connection(0);
    connection.send(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    connection.send("9\r\ndata: a\n\n\r\n");
    await sink.receivedText("data: a");
    // Longer than the deadline for the head, which is over by now.
    await timedOut(150);
    connection.send("9\r\ndata: b\n\n\r\n0\r\n\r\n");
    expect((await forwarding).outcome).toBe("answered");
    expect(sink.text()).toBe("data: a\n\ndata: b\n\n");
  });

  it("is read no faster than the sink takes it", async () => {
    const size = 32 * 1024 * 1024;
    const target = await rawTarget((connection) => {
      connection.socket.once("data", () => {
        connection.send(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
        connection.socket.write(Buffer.alloc(size));
      });
    });
    const sink = createRecordingSink();
    sink.setRoom(false);
    const forwarding = newForwarder().forward(at(target), get(), sink);
    await sink.receivedText("\0");
    await untilStable(() => sink.chunks.length);
    expect(Buffer.concat(sink.chunks).length).toBeLessThan(1024 * 1024);
    sink.setRoom(true);
    sink.writable();
    expect((await forwarding).outcome).toBe("answered");
    expect(Buffer.concat(sink.chunks).length).toBe(size);
  });

  it.each([
    ["HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"],
    ["GET", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"],
  ])("may have no body: %s %j", async (method, answer) => {
    const target = await rawTarget(answerEachHead(answer));
    const sink = createRecordingSink();
    const result = await newForwarder().forward(at(target), { ...get(), method }, sink);
    expect(result.outcome).toBe("answered");
    expect(sink.text()).toBe("");
  });

  it("is never followed when it is a redirect", async () => {
    const target = await rawTarget(
      answerEachHead("HTTP/1.1 307 T\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"),
    );
    const result = await newForwarder().forward(at(target), post(EMPTY), createRecordingSink());
    expect(result.head?.status).toBe(307);
    expect(target.connections.map((connection) => connection.received().split("HTTP/1.1").length)).toEqual([
      2,
    ]);
  });

  it("may have headers of 64 KiB and 300 small ones", async () => {
    const small = Array.from({ length: 300 }, (_, index) => `X-${index}: v\r\n`).join("");
    const target = await rawTarget(
      answerEachHead(
        `HTTP/1.1 200 OK\r\nX-Big: ${"b".repeat(60 * 1024)}\r\n${small}Content-Length: 0\r\n\r\n`,
      ),
    );
    const result = await newForwarder().forward(at(target), get(), createRecordingSink());
    expect(result.head?.headers.length).toBe(2 * 302);
  });
});

describe("an answer before the request body is read", () => {
  it("goes through, and the body is stopped", async () => {
    const target = await rawTarget();
    const body = createFedBody();
    const sink = createRecordingSink();
    const forwarding = newForwarder().forward(at(target), post(body), sink);
    const connection = await target.connection(0);
    body.push("part");
    await connection.receivedText("part");
    connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig");
    const result = await forwarding;
    expect(result).toMatchObject({ outcome: "answered", cause: null });
    expect(result.head?.status).toBe(413);
    expect(sink.text()).toBe("big");
    expect(body.stopped).toBe(true);
  });

  it("goes through when the target closes its side right after it", async () => {
    const target = await rawTarget((connection) => {
      connection.socket.once("data", () => {
        connection.socket.end("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbig");
      });
    });
    const body = createFedBody();
    body.push("part");
    const sink = createRecordingSink();
    const result = await newForwarder().forward(at(target), post(body), sink);
    expect(result).toMatchObject({ outcome: "answered" });
    expect(sink.text()).toBe("big");
    expect(body.stopped).toBe(true);
  });

  it("may go on beside the body, as an echo does", async () => {
    const target = await rawTarget();
    const body = createFedBody();
    const sink = createRecordingSink();
    const forwarding = newForwarder().forward(at(target), post(body), sink);
    const connection = await target.connection(0);
    connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
    await sink.receivedText("a");
    body.push("later");
    await connection.receivedText("later");
    body.end();
    await connection.receivedText("0\r\n\r\n");
    connection.send("1\r\nb\r\n0\r\n\r\n");
    expect((await forwarding).outcome).toBe("answered");
    expect(body.stopped).toBe(false);
  });
});

describe("a failure", () => {
  it("names both addresses of localhost that refused, without asking a resolver", async () => {
    const port = await portWithoutListener();
    const result = await newForwarder().forward(
      targetAt(`http://localhost:${port}`),
      get(),
      createRecordingSink(),
    );
    expect(result).toMatchObject({
      outcome: "refused",
      head: null,
      cause: `connection refused at 127.0.0.1:${port} and [::1]:${port}: is the app running?`,
    });
  });

  it.each([
    ["before any byte", "", "reset", null],
    ["in the middle of the head", "HTTP/1.1 200 OK\r\nX-Half", "reset", null],
    [
      "in the middle of a body with a length",
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
      "truncated",
      200,
    ],
    [
      "in the middle of a chunk",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf",
      "truncated",
      200,
    ],
  ])("is told by place when the target closes %s", async (_title, answer, outcome, status) => {
    const target = await rawTarget((connection) => {
      connection.socket.once("data", () => connection.socket.end(answer, "latin1"));
    });
    const sink = createRecordingSink();
    const result = await newForwarder().forward(at(target), post(EMPTY), sink);
    expect(result.outcome).toBe(outcome);
    expect(result.head?.status ?? null).toBe(status);
    expect(result.cause).toContain("the target closed the connection");
    expect(sink.trailers).toEqual([]);
  });

  it("is a reset when the target breaks the connection", async () => {
    const target = await rawTarget((connection) => {
      connection.socket.once("data", () => connection.socket.resetAndDestroy());
    });
    const result = await newForwarder().forward(at(target), post(EMPTY), createRecordingSink());
    expect(result.outcome).toBe("reset");
  });

  it("is a time-out when no head comes in time, and the connection is closed", async () => {
    const target = await rawTarget();
    const result = await newForwarder().forward(
      at(target, { timeoutMs: 60 }),
      post(EMPTY),
      createRecordingSink(),
    );
    expect(result).toMatchObject({ outcome: "timeout", cause: "no answer in 0.06 s" });
    expect(result.durationMs).toBeGreaterThanOrEqual(55);
    expect(result.durationMs).toBeLessThan(1_000);
    await closed(target.connections[0]);
  });

  it("is no time-out while the sender of the body takes its time", async () => {
    const target = await rawTarget();
    const body = createFedBody();
    const forwarding = newForwarder().forward(
      at(target, { timeoutMs: 40 }),
      post(body),
      createRecordingSink(),
    );
    const connection = await target.connection(0);
    body.push("slow");
    await connection.receivedText("slow");
    await timedOut(80);
    body.end();
    await connection.receivedText("0\r\n\r\n");
    connection.send(OK);
    expect((await forwarding).outcome).toBe("answered");
  });

  it.each([
    ["no HTTP", "SSH-2.0-x\r\n", "not valid HTTP"],
    [
      "too large a head",
      `HTTP/1.1 200 OK\r\nX-Big: ${"b".repeat(200_000)}\r\n\r\n`,
      "answer headers too large",
    ],
    [
      "a protocol switch",
      "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
      "switched protocols",
    ],
    ["a status that is none", "HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n", "999"],
  ])("is a bad answer for %s", async (_title, answer, cause) => {
    const target = await rawTarget(answerEachHead(answer));
    const sink = createRecordingSink();
    const result = await newForwarder().forward(at(target), get(), sink);
    expect(result.outcome).toBe("bad-answer");
    expect(result.cause).toContain(cause);
    expect(sink.heads).toEqual([]);
  });

  it("is about TLS when the target's certificate is not trusted or it speaks none", async () => {
    const target = await rawTarget(answerEachHead(OK));
    const plain = targetAt(`https://127.0.0.1:${target.port}`, { timeoutMs: 200 });
    target.connection(0).then(
      (connection) => connection.send("HTTP/1.1 400 Bad\r\n\r\n"),
      () => {},
    );
    const result = await newForwarder().forward(plain, get(), createRecordingSink());
    expect(result.outcome).toBe("tls");
  });

  it("is a cancellation when the sender goes away in mid-body, and the target's connection is closed", async () => {
    const target = await rawTarget();
    const body = createFedBody();
    const forwarding = newForwarder().forward(at(target), post(body), createRecordingSink());
    const connection = await target.connection(0);
    body.push("half");
    await connection.receivedText("half");
    body.fail(new Error("gone"));
    expect(await forwarding).toMatchObject({ outcome: "cancelled" });
    await closed(connection);
    expect(connection.received()).not.toContain("0\r\n\r\n");
  });

  it("is a cancellation when the caller gives up: before, while waiting and in mid-answer", async () => {
    const target = await rawTarget();
    const forwarder = newForwarder();
    const before = forwarder.forward(
      at(target),
      { ...get(), signal: AbortSignal.abort() },
      createRecordingSink(),
    );
    expect(await before).toMatchObject({ outcome: "cancelled", head: null });
    expect(target.connections.length).toBe(0);

    const waiting = new AbortController();
    const second = forwarder.forward(at(target), { ...get(), signal: waiting.signal }, createRecordingSink());
    await (await target.connection(0)).receivedText("\r\n\r\n");
    waiting.abort();
    expect(await second).toMatchObject({ outcome: "cancelled", head: null });
    await closed(target.connections[0]);

    const reading = new AbortController();
    const sink = createRecordingSink();
    const third = forwarder.forward(at(target), { ...get(), signal: reading.signal }, sink);
    (await target.connection(1)).send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
    await sink.receivedText("half");
    reading.abort();
    expect(await third).toMatchObject({ outcome: "cancelled", head: { status: 200 } });
    await closed(target.connections[1]);
    expect(sink.trailers).toEqual([]);
  });

  it("is none once the answer is whole, even if its end makes the caller give up", async () => {
    const target = await rawTarget(answerEachHead(OK));
    const caller = new AbortController();
    const sink = { ...createRecordingSink(), end: () => caller.abort() };
    const result = await newForwarder().forward(at(target), { ...get(), signal: caller.signal }, sink);
    expect(result.outcome).toBe("answered");
  });

  it("is a cancellation for all that is open when the forwarder closes", async () => {
    const target = await rawTarget();
    const forwarder = createForwarder();
    const forwarding = forwarder.forward(at(target), get(), createRecordingSink());
    await target.connection(0);
    await forwarder.close();
    expect((await forwarding).outcome).toBe("cancelled");
  });

  it("is no failure of the process when a header can't be written", async () => {
    const target = await rawTarget();
    const result = await newForwarder().forward(
      at(target),
      get("/", ["Host", "h", "X", "a\nb"]),
      createRecordingSink(),
    );
    expect(result).toMatchObject({ outcome: "cancelled", head: null });
    expect(target.connections.length).toBe(0);
  });
});

async function closed(connection: TargetConnection | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    if (connection === undefined || connection.socket.destroyed || connection.socket.readableEnded) {
      resolve();
      return;
    }
    connection.socket.once("close", () => resolve());
    connection.socket.once("end", () => resolve());
  });
}

describe("connections", () => {
  it("reach localhost on whichever of its two addresses the app listens", async () => {
    const ipv4 = await rawTarget(answerEachHead(OK), "127.0.0.1");
    const ipv6 = await rawTarget(answerEachHead(OK), "::1");
    const forwarder = newForwarder();
    for (const { port } of [ipv4, ipv6]) {
      const result = await forwarder.forward(
        targetAt(`http://localhost:${port}`),
        get(),
        createRecordingSink(),
      );
      expect(result.outcome).toBe("answered");
    }
    const literal = targetAt(`http://[::1]:${ipv6.port}`);
    expect((await forwarder.forward(literal, get(), createRecordingSink())).outcome).toBe("answered");
  });

  it("are kept and used again", async () => {
    const target = await rawTarget(answerEachHead(OK));
    const forwarder = newForwarder();
    for (let count = 0; count < 5; count += 1) {
      await forwarder.forward(at(target), get(), createRecordingSink());
    }
    expect(target.connections.length).toBe(1);
  });

  it("that the target closed while idle do not fail the next delivery, and nothing is sent twice", async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.end("ok");
      response.on("finish", () => setImmediate(() => server.closeAllConnections()));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    const forwarder = newForwarder();
    const outcomes: string[] = [];
    for (let count = 0; count < 20; count += 1) {
      const result = await forwarder.forward(
        targetAt(`http://127.0.0.1:${port}`),
        post(EMPTY),
        createRecordingSink(),
      );
      outcomes.push(result.outcome);
    }
    server.close();
    expect(outcomes).toEqual(Array.from({ length: 20 }, () => "answered"));
    expect(requests).toBe(20);
  });

  it("run side by side for deliveries at the same time", async () => {
    const target = await rawTarget();
    const forwarder = newForwarder();
    const forwarding = [0, 1, 2].map(() => forwarder.forward(at(target), get(), createRecordingSink()));
    for (const index of [0, 1, 2]) {
      await (await target.connection(index)).receivedText("\r\n\r\n");
    }
    for (const connection of target.connections) {
      connection.send(OK);
    }
    expect((await Promise.all(forwarding)).map(({ outcome }) => outcome)).toEqual([
      "answered",
      "answered",
      "answered",
    ]);
  });
});
