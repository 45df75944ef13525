import { createHash, randomBytes } from "node:crypto";
import type { ResetCode } from "@tenfold/protocol";
import { describe, expect, it } from "vitest";
import { fieldOf } from "../testing/raw-connection.ts";
import type { AgentScript, ScriptedRequest } from "../testing/scripted-agent.ts";
import { withRelay } from "../testing/with-relay.ts";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Answers every request whole, after its body. */
const echo: AgentScript = {
  async onRequest({ stream, body }) {
    const { bytes } = await body;
    stream.respond(
      { status: 200, statusText: "OK", headers: ["X-Length", String(bytes.length)] },
      { body: bytes, end: true },
    );
  },
};

const respond = (request: ScriptedRequest, headers: readonly string[], body = "", status = 200): void => {
  request.stream.respond({ status, statusText: "OK", headers }, { body: Buffer.from(body), end: true });
};

describe("the request on its way to the agent", () => {
  it("keeps case, order and repeats of the fields and adds only the forwarding ones", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent(echo);
      const caller = await world.caller();
      caller.send(
        "POST /hook HTTP/1.1\r\nhOST: example.com\r\nX-Twice: 1\r\nx-TWICE:   2  \r\nX-Twice: 1\r\nX-Latin: caf\xe9\r\ncontent-LENGTH: 2\r\nX-Empty:\r\n\r\nhi",
      );
      expect((await caller.readResponse()).body.toString()).toBe("hi");
      const { head } = await agent.nextRequest();
      expect(head.method).toBe("POST");
      expect(head.id).toMatch(/^dlv_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
      expect(head.headers).toEqual([
        "hOST",
        "example.com",
        "X-Twice",
        "1",
        "x-TWICE",
        "2",
        "X-Twice",
        "1",
        "X-Latin",
        "caf\xe9",
        "content-LENGTH",
        "2",
        "X-Empty",
        "",
        "X-Forwarded-For",
        "127.0.0.1",
        "X-Forwarded-Proto",
        "http",
        "X-Forwarded-Host",
        "example.com",
      ]);
    });
  });

  it("is told the scheme of the public URL, since a front with TLS speaks plain HTTP to the relay", async () => {
    await withRelay({ routing: "path", publicUrl: "https://hooks.example" }, async (world) => {
      const agent = await world.agent({ ...echo, name: "shop" });
      const caller = await world.caller();
      caller.send("GET /t/shop/ HTTP/1.1\r\nHost: hooks.example\r\n\r\n");
      await caller.readResponse();
      const { headers } = (await agent.nextRequest()).head;
      expect(headers[headers.indexOf("X-Forwarded-Proto") + 1]).toBe("https");
    });
  });

  it.each(["/", "/?", "//x", "/a/../b", "/%zz", "/a%2Fb?x=1&x=2&&=", "/t/name/x", "/healthz"])(
    "passes the request-target %s byte for byte",
    async (target) => {
      await withRelay({}, async (world) => {
        const agent = await world.agent(echo);
        const caller = await world.caller();
        caller.send(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
        expect((await caller.readResponse()).status).toBe(200);
        expect((await agent.nextRequest()).head.target).toBe(target);
      });
    },
  );

  it("reduces an absolute-form target to its path and believes nothing else of it", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent(echo);
      const caller = await world.caller();
      caller.send("GET http://evil.example/a//b?c HTTP/1.1\r\nHost: good.example\r\n\r\n");
      await caller.readResponse();
      const { head } = await agent.nextRequest();
      expect(head.target).toBe("/a//b?c");
      expect(head.headers.join(" ")).not.toContain("evil");
    });
  });

  it.each([
    ["no body", "", "", 0],
    ["a body with a length", "Content-Length: 5\r\n", "abcde", 5],
    ["a chunked body", "Transfer-Encoding: chunked\r\n", "5\r\nabcde\r\n0\r\n\r\n", 5],
  ])("brings %s that came with its head in one message to the agent", async (_what, field, body, bytes) => {
    await withRelay({}, async (world) => {
      const agent = await world.agent(echo);
      const caller = await world.caller();
      caller.send(`POST / HTTP/1.1\r\nHost: a\r\n${field}\r\n${body}`);
      await caller.readResponse();
      expect((await agent.nextRequest()).first).toEqual({ bytes, ended: true });
    });
  });

  it("does not wait for a body that comes later", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent(echo);
      const caller = await world.caller();
      caller.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab");
      expect((await agent.nextRequest()).first).toEqual({ bytes: 2, ended: false });
      caller.send("cd");
      expect((await caller.readResponse()).body.toString()).toBe("abcd");
    });
  });

  it("passes more fields than Node would count", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent(echo);
      const caller = await world.caller();
      caller.send(`GET / HTTP/1.1\r\nHost: a\r\n${"X-A: 1\r\n".repeat(3_000)}\r\n`);
      expect((await caller.readResponse()).status).toBe(200);
      const { head } = await agent.nextRequest();
      expect(head.headers.filter((text) => text === "X-A")).toHaveLength(3_000);
    });
  });

  it("passes a chunked body on without any framing field", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent(echo);
      const caller = await world.caller();
      caller.send(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
      );
      expect((await caller.readResponse()).body.toString()).toBe("abcde");
      const { head } = await agent.nextRequest();
      expect(head.headers.slice(0, 4)).toEqual(["Host", "a", "X-Forwarded-For", "127.0.0.1"]);
    });
  });

  it("passes the trailers of a chunked body", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent(echo);
      const caller = await world.caller();
      caller.send(
        "POST / HTTP/1.1\r\nHost: a\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n",
      );
      await caller.readResponse();
      const { trailers, bytes } = await (await agent.nextRequest()).body;
      expect(bytes.toString()).toBe("abc");
      expect(trailers).toEqual(["X-Sum", "1"]);
    });
  });

  it("removes the fields of the connection and those that it names", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent(echo);
      const caller = await world.caller();
      caller.send(
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, X-Hop, host\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nTE: trailers\r\nProxy-Connection: x\r\nX-End: 1\r\n\r\n",
      );
      await caller.readResponse();
      const { head } = await agent.nextRequest();
      expect(head.headers.slice(0, 4)).toEqual(["Host", "a", "X-End", "1"]);
    });
  });

  it("sends the interim 100 itself once the agent has the head", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent(echo);
      const caller = await world.caller();
      caller.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
      expect((await caller.readHead()).statusLine).toBe("HTTP/1.1 100 Continue");
      const request = await agent.nextRequest();
      expect(request.head.headers).not.toContain("Expect");
      caller.send("abc");
      expect((await caller.readResponse()).body.toString()).toBe("abc");
    });
  });

  it("serves several requests of one connection, pipelined ones in order", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
      const first = await agent.nextRequest();
      const second = await agent.nextRequest();
      respond(second, [], "second");
      respond(first, [], "first");
      expect((await caller.readResponse()).body.toString()).toBe("first");
      expect((await caller.readResponse()).body.toString()).toBe("second");
    });
  });

  it("ignores an offer of h2c and reads the body as usual", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent(echo);
      const caller = await world.caller();
      caller.send(
        "POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Length: 4\r\n\r\nab",
      );
      caller.send("cd");
      expect((await caller.readResponse()).body.toString()).toBe("abcd");
      const { head } = await agent.nextRequest();
      expect(head.headers.slice(0, 4)).toEqual(["Host", "a", "Content-Length", "4"]);
      caller.send("GET /again HTTP/1.1\r\nHost: a\r\n\r\n");
      expect((await caller.readResponse()).status).toBe(200);
    });
  });
});

describe("the answer on its way to the caller", () => {
  it("keeps case, order, repeats and bytes of the fields and adds none", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      const headers = [
        "content-LENGTH",
        "2",
        "Set-Cookie",
        "a=1",
        "X-A",
        "1",
        "set-cookie",
        "b=2",
        "X-a",
        "\xff",
        "Content-Disposition",
        'attachment; filename="\xc3\xa9 \xe9"',
        "X-Empty",
        "",
      ];
      const request = await agent.nextRequest();
      request.stream.respond(
        { status: 299, statusText: "Fine by m\xe9", headers },
        { body: Buffer.from("ok"), end: true },
      );
      const response = await caller.readResponse();
      expect(response.statusLine).toBe("HTTP/1.1 299 Fine by m\xe9");
      expect(response.lines).toEqual([
        "content-LENGTH: 2",
        "Set-Cookie: a=1",
        "X-A: 1",
        "set-cookie: b=2",
        "X-a: \xff",
        'Content-Disposition: attachment; filename="\xc3\xa9 \xe9"',
        "X-Empty: ",
      ]);
      expect(response.body.toString()).toBe("ok");
    });
  });

  it("is chunked without a length, with its trailers, and loses what belongs to the target's connection", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      const { stream } = await agent.nextRequest();
      const headers = [
        "Connection",
        "close, X-Hop",
        "X-Hop",
        "1",
        "Transfer-Encoding",
        "chunked",
        "Trailer",
        "X-Sum",
      ];
      stream.respond({ status: 200, statusText: "", headers });
      stream.write(Buffer.from("abc"));
      stream.end(["X-Sum", "3"]);
      const response = await caller.readResponse();
      expect(response.lines).toEqual(["Trailer: X-Sum", "Transfer-Encoding: chunked"]);
      expect(response.body.toString()).toBe("abc");
      expect(response.trailers).toEqual(["X-Sum: 3"]);
    });
  });

  it("leaves at once, before there is any body", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
      const { stream } = await agent.nextRequest();
      stream.respond({ status: 200, statusText: "OK", headers: ["Content-Type", "text/event-stream"] });
      expect((await caller.readHead()).lines).toContain("Content-Type: text/event-stream");
      stream.write(Buffer.from("data: 1\n\n"));
      expect((await caller.read(14)).toString()).toContain("data: 1");
      stream.end();
      expect((await caller.read(5)).toString()).toBe("0\r\n\r\n");
    });
  });

  it.each([
    ["HEAD", 200, ["Content-Length", "10"], ["Content-Length: 10"]],
    ["HEAD", 200, ["Trailer", "X"], []],
    ["GET", 204, ["X-A", "1"], ["X-A: 1"]],
    ["GET", 304, ["Content-Length", "7", "ETag", "x"], ["Content-Length: 7", "ETag: x"]],
  ])("to %s with %i has no body, and the connection goes on", async (method, status, headers, lines) => {
    await withRelay({}, async (world) => {
      const agent = await world.agent({ onRequest: (request) => respond(request, headers, "", status) });
      const caller = await world.caller();
      for (let round = 0; round < 2; round += 1) {
        caller.send(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`);
        const response = await caller.readResponse({ hasBody: false });
        expect(response.status).toBe(status);
        expect(response.lines).toEqual(lines);
      }
      expect(agent.requests).toHaveLength(2);
    });
  });

  it("ends with its connection for an HTTP/1.0 caller", async () => {
    await withRelay({}, async (world) => {
      await world.agent(echo);
      const caller = await world.caller();
      caller.send("POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc");
      const response = await caller.readResponse();
      expect(response.lines).toEqual(["X-Length: 3", "Connection: close"]);
      expect(response.body.toString()).toBe("abc");
    });
  });
});

describe("large bodies", () => {
  it("arrive whole in both directions at once", async () => {
    await withRelay({}, async (world) => {
      await world.agent({
        async onRequest({ stream, body, writable }) {
          stream.respond({ status: 200, statusText: "OK", headers: [] });
          const { bytes } = await body;
          for (let at = 0; at < bytes.length; at += 50_000) {
            if (!stream.write(bytes.subarray(at, at + 50_000))) {
              await writable();
            }
          }
          stream.end();
        },
      });
      const sent = randomBytes(5_000_000);
      const caller = await world.caller();
      caller.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${sent.length}\r\n\r\n`);
      caller.send(sent);
      expect(sha256((await caller.readResponse()).body)).toBe(sha256(sent));
    });
  });

  it("wait in the sender's socket when the agent does not read, and hold nobody else up", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent({
        reads: false,
        onRequest: (request) => (request.head.target === "/small" ? respond(request, [], "ok") : undefined),
      });
      const caller = await world.caller();
      let isTaken = false;
      caller.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50000000\r\n\r\n");
      caller.socket.write(Buffer.alloc(50_000_000), () => {
        isTaken = true;
      });
      const request = await agent.nextRequest();
      await request.received(256 * 1024);
      const other = await world.caller();
      for (let round = 0; round < 20; round += 1) {
        other.send("GET /small HTTP/1.1\r\nHost: a\r\n\r\n");
        expect((await other.readResponse()).status).toBe(200);
      }
      expect(isTaken).toBe(false);
      expect(request.receivedBytes()).toBe(256 * 1024);
      request.stream.reset("target-reset", "the target went away");
      expect((await caller.readResponse()).status).toBe(502);
    });
  });
});

describe("an answer before the request is whole", () => {
  it("reaches the caller, and the rest is dropped so that the connection goes on", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
      const request = await agent.nextRequest();
      respond(request, ["Content-Length", "2"], "no", 413);
      request.stream.stop("response-complete");
      expect((await caller.readResponse()).status).toBe(413);
      caller.send(Buffer.alloc(1_000_000));
      caller.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
      const next = await agent.nextRequest();
      expect(next.head.target).toBe("/next");
      respond(next, ["Content-Length", "2"], "ok");
      expect((await caller.readResponse()).body.toString()).toBe("ok");
    });
  });

  it("reaches a caller that sends all before it reads and then closes", async () => {
    await withRelay({}, async (world) => {
      await world.agent({
        onRequest(request) {
          respond(request, ["Content-Length", "2"], "no", 413);
          request.stream.stop("response-complete");
        },
      });
      const caller = await world.caller();
      caller.send("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3000000\r\n\r\n");
      caller.send(Buffer.alloc(3_000_000));
      expect((await caller.readResponse()).status).toBe(413);
      expect(await caller.closed.then(() => "closed")).toBe("closed");
    });
  });

  it("leaves the request to a target that goes on reading", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
      const request = await agent.nextRequest();
      respond(request, ["Content-Length", "2"], "ok");
      expect((await caller.readResponse()).status).toBe(200);
      caller.send(Buffer.alloc(100_000));
      expect((await request.body).bytes.length).toBe(100_000);
      expect(await request.closed).toEqual({ reset: undefined });
    });
  });
});

describe("errors by their place", () => {
  const codeOf = (body: Buffer): unknown => {
    const { error } = JSON.parse(body.toString()) as { error: Record<string, string> };
    expect(error["message"]).toBeTruthy();
    expect(error["hint"]).toBeTruthy();
    return error["code"];
  };

  it.each<[ResetCode, number, string]>([
    ["target-refused", 502, "target-refused"],
    ["target-reset", 502, "target-reset"],
    ["target-tls", 502, "target-tls"],
    ["target-bad-answer", 502, "target-bad-answer"],
    ["target-timeout", 504, "target-timeout"],
    ["too-large", 413, "too-large"],
    ["agent-unable", 503, "agent-unable"],
    ["internal", 502, "agent-failed"],
  ])("tell %s as %i, and the connection goes on", async (reset, status, code) => {
    await withRelay({}, async (world) => {
      await world.agent({ onRequest: ({ stream }) => stream.reset(reset, "secret detail") });
      const caller = await world.caller();
      for (let round = 0; round < 2; round += 1) {
        caller.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        const response = await caller.readResponse();
        expect(response.status).toBe(status);
        expect(fieldOf(response.lines, "content-type")).toBe("application/json");
        expect(codeOf(response.body)).toBe(code);
        expect(response.body.toString()).not.toContain("secret");
      }
    });
  });

  it("tell an agent that is not there as 503 with Retry-After, also to who expects a 100", async () => {
    await withRelay({}, async (world) => {
      const caller = await world.caller();
      caller.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
      const response = await caller.readResponse();
      expect(response.status).toBe(503);
      expect(fieldOf(response.lines, "retry-after")).toBe("5");
      expect(codeOf(response.body)).toBe("agent-offline");
    });
  });

  it("tell an agent that is lost before the answer as 502", async () => {
    await withRelay(
      {},
      async (world) => {
        const agent = await world.agent();
        const caller = await world.caller();
        caller.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        await agent.nextRequest();
        agent.cut();
        const response = await caller.readResponse();
        expect(response.status).toBe(502);
        expect(codeOf(response.body)).toBe("session-lost");
      },
      { lostStreams: 1 },
    );
  });

  it.each(["1.0", "1.1"])(
    "cut an HTTP/%s answer that has begun, and never end it cleanly",
    async (version) => {
      await withRelay({}, async (world) => {
        const agent = await world.agent();
        const caller = await world.caller();
        caller.send(`GET / HTTP/${version}\r\nHost: a\r\n\r\n`);
        const { stream } = await agent.nextRequest();
        stream.respond({ status: 200, statusText: "OK", headers: [] }, { body: Buffer.from("part") });
        await caller.readHead();
        stream.reset("target-reset", "the target broke off");
        const error = await caller.closed;
        const rest = (await caller.readToEnd().catch(() => Buffer.alloc(0))).toString();
        expect(version === "1.0" ? error : rest.endsWith("0\r\n\r\n")).toBe(
          version === "1.0" ? "ECONNRESET" : false,
        );
      });
    },
  );

  it.each([
    ["shorter", "abc", false],
    ["longer", "abcdefgh", true],
  ])("cut an answer that is %s than announced", async (_word, body) => {
    await withRelay({}, async (world) => {
      await world.agent({ onRequest: (request) => respond(request, ["Content-Length", "5"], body) });
      const caller = await world.caller();
      caller.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      await expect(caller.readResponse()).rejects.toThrow("waited for");
      await caller.closed;
    });
  });

  it.each([
    [101, []],
    [103, []],
    [200, ["Content-Length", "1", "Content-Length", "2"]],
    [200, ["X-A", "a\x01b"]],
  ])("tell an answer that is none (%i %j) as 502", async (status, headers) => {
    await withRelay({}, async (world) => {
      await world.agent({
        onRequest: ({ stream }) => void stream.respond({ status, statusText: "", headers }),
      });
      const caller = await world.caller();
      caller.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      const response = await caller.readResponse();
      expect(response.status).toBe(502);
      expect(codeOf(response.body)).toBe("target-bad-answer");
    });
  });

  it("tell a target that stays silent as 504, and a sender that does as 408", async () => {
    await withRelay({ responseTimeoutMs: 60 }, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      expect((await caller.readResponse()).status).toBe(504);
      expect(await (await agent.nextRequest()).closed).toEqual({ reset: "target-timeout" });
      caller.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
      expect((await caller.readResponse()).status).toBe(408);
      caller.destroy();
      expect(await (await agent.nextRequest()).closed).toEqual({ reset: "caller-gone" });
    });
  });

  it("tell too many open requests as 429 with Retry-After", async () => {
    await withRelay({ maxStreams: 1 }, async (world) => {
      const agent = await world.agent();
      const [first, second] = [await world.caller(), await world.caller()];
      first.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
      const open = await agent.nextRequest();
      second.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
      const response = await second.readResponse();
      expect(response.status).toBe(429);
      expect(fieldOf(response.lines, "retry-after")).toBe("5");
      respond(open, [], "ok");
      expect((await first.readResponse()).status).toBe(200);
    });
  });
});

describe("the limit of a body", () => {
  it("refuses an announced length at once, without the agent", async () => {
    await withRelay({ maxBodyBytes: 10 }, async (world) => {
      const agent = await world.agent(echo);
      const caller = await world.caller();
      caller.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n");
      expect((await caller.readResponse()).status).toBe(413);
      const next = await world.caller();
      next.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789");
      expect((await next.readResponse()).body.toString()).toBe("0123456789");
      expect(agent.requests).toHaveLength(1);
    });
  });

  it("resets the stream of a chunked body that grows over it, and the session lives", async () => {
    await withRelay({ maxBodyBytes: 10 }, async (world) => {
      const agent = await world.agent(echo);
      const caller = await world.caller();
      caller.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n");
      const request = await agent.nextRequest();
      caller.send("6\r\nabcdef\r\n");
      expect((await caller.readResponse()).status).toBe(413);
      expect(await request.closed).toEqual({ reset: "too-large" });
      caller.destroy();
      const next = await world.caller();
      next.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      expect((await next.readResponse()).status).toBe(200);
    });
  });

  it("lets a caller that sends all before it reads see the 413", async () => {
    await withRelay({ maxBodyBytes: 10 }, async (world) => {
      await world.agent(echo);
      const caller = await world.caller();
      caller.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n");
      caller.send(Buffer.alloc(4_000_000));
      expect((await caller.readResponse()).status).toBe(413);
      expect(await caller.closed.then(() => "closed")).toBe("closed");
    });
  });
});

describe("messages that two readers could frame differently", () => {
  it.each([
    [
      "a length and chunks",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    [
      "chunks and a length",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400],
    [
      "two equal lengths",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
      400,
    ],
    ["a signed length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc", 400],
    [
      "chunked not last",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
      400,
    ],
    [
      "another coding",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      501,
    ],
    [
      "chunked twice",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["chunks in HTTP/1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400],
    ["a space before the colon", "GET / HTTP/1.1\r\nHost: a\r\nX-A : 1\r\n\r\n", 400],
    ["a bare line feed", "GET / HTTP/1.1\nHost: a\n\n", 400],
    ["a NUL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX-A: a\0b\r\n\r\n", 400],
    ["no Host", "GET / HTTP/1.1\r\n\r\n", 400],
    ["two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400],
    ["a target with a byte above 0x7e", "GET /\xe4 HTTP/1.1\r\nHost: a\r\n\r\n", 400],
    ["a target that is no path", "GET example.com/x HTTP/1.1\r\nHost: a\r\n\r\n", 400],
    ["a head over the limit", `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${"x".repeat(140_000)}\r\n\r\n`, 431],
    ["CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 501],
    ["another expectation", "POST / HTTP/1.1\r\nHost: a\r\nExpect: x\r\nContent-Length: 1\r\n\r\n", 417],
  ])("are refused without the agent: %s", async (_what, bytes, status) => {
    await withRelay({}, async (world) => {
      const agent = await world.agent(echo);
      const caller = await world.caller();
      caller.send(bytes);
      const response = await caller.readResponse();
      expect(response.status).toBe(status);
      expect(JSON.parse(response.body.toString())).toHaveProperty("error.code");
      expect(agent.requests).toEqual([]);
    });
  });

  it("are refused in the middle of a body too, and the stream is reset", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
      const request = await agent.nextRequest();
      caller.send("xyz\r\n");
      const response = await caller.readResponse();
      expect(response.status).toBe(400);
      expect(await caller.readToEnd()).toHaveLength(0);
      caller.destroy();
      expect(await request.closed).toEqual({ reset: "caller-gone" });
    });
  });

  it("never answer before an answer that is due first", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
      const request = await agent.nextRequest();
      caller.send("GARBAGE\r\n\r\n");
      await caller.closed;
      expect((await caller.readToEnd()).toString()).toBe("");
      expect(await request.closed).toEqual({ reset: "caller-gone" });
    });
  });
});

describe("a caller that goes away", () => {
  it.each(["before the head of the answer", "in the middle of the answer"])(
    "resets its stream %s",
    async (when) => {
      await withRelay({}, async (world) => {
        const agent = await world.agent();
        const caller = await world.caller();
        caller.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        const { stream, closed } = await agent.nextRequest();
        if (when.includes("middle")) {
          stream.respond({ status: 200, statusText: "OK", headers: [] }, { body: Buffer.from("part") });
          await caller.readHead();
        }
        caller.destroy();
        expect(await closed).toEqual({ reset: "caller-gone" });
      });
    },
  );

  it("resets its stream in the middle of its body", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
      const { closed } = await agent.nextRequest();
      caller.destroy();
      expect(await closed).toEqual({ reset: "caller-gone" });
    });
  });

  it("resets the streams of all its pipelined requests, without a warning", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): unknown => warnings.push(warning);
    process.on("warning", onWarning);
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(12));
      const requests = await Promise.all(Array.from({ length: 12 }, async () => agent.nextRequest()));
      caller.destroy();
      const ends = await Promise.all(requests.map(async (request) => request.closed));
      expect(ends.every((end) => end.reset === "caller-gone")).toBe(true);
    });
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
  });
});
