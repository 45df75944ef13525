import { describe, expect, it } from "vitest";
import { fieldOf } from "../testing/raw-connection.ts";
import { withRelay } from "../testing/with-relay.ts";

const HANDSHAKE =
  "GET /socket HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n";
const SWITCHING = {
  status: 101,
  statusText: "Switching Protocols",
  headers: ["Upgrade", "websocket", "Connection", "upgrade", "Sec-WebSocket-Accept", "y"],
};

describe("an upgrade", () => {
  it("is asked for at the agent and confirmed to the caller, and bytes pass both ways, the first ones too", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send(`${HANDSHAKE}first`);
      const request = await agent.nextRequest();
      expect(request.head.headers.slice(0, 8)).toEqual([
        "Host",
        "a",
        "Connection",
        "Upgrade",
        "Upgrade",
        "websocket",
        "Sec-WebSocket-Key",
        "x",
      ]);
      await request.received(5);
      request.stream.respond(SWITCHING, { body: Buffer.from("\x81\x00early") });
      expect(await caller.readHead()).toEqual({
        statusLine: "HTTP/1.1 101 Switching Protocols",
        lines: ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: y"],
      });
      expect((await caller.read(8)).toString()).toBe(Buffer.from("\x81\x00early").toString());
      caller.send("more");
      await request.received(9);
      request.stream.end();
      expect((await caller.readToEnd()).length).toBe(0);
      expect((await request.body).bytes.toString()).toBe("firstmore");
      expect(await request.closed).toEqual({ reset: undefined });
    });
  });

  it("is ignored on a request with a body, which is passed on by its bytes and not by its framing", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send(
        "POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: foo\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      );
      const request = await agent.nextRequest();
      expect((await request.body).bytes.toString()).toBe("abc");
      expect(request.head.headers).not.toContain("Upgrade");
      request.stream.respond(
        { status: 200, statusText: "OK", headers: ["Content-Length", "0"] },
        { end: true },
      );
      expect((await caller.readResponse()).status).toBe(200);
    });
  });

  it("carries a large stream both ways", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send(HANDSHAKE);
      const { stream, received, writable } = await agent.nextRequest();
      stream.respond(SWITCHING);
      await caller.readHead();
      caller.send(Buffer.alloc(2_000_000, 1));
      for (let round = 0; round < 20; round += 1) {
        if (!stream.write(Buffer.alloc(100_000, 2))) {
          await writable();
        }
      }
      expect((await caller.read(2_000_000)).every((byte) => byte === 2)).toBe(true);
      await received(2_000_000);
      stream.end();
    });
  });

  it("makes the caller wait when the target does not read", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent({ reads: false });
      const caller = await world.caller();
      caller.send(HANDSHAKE);
      const { stream, received, closed } = await agent.nextRequest();
      stream.respond(SWITCHING);
      await caller.readHead();
      let isTaken = false;
      caller.socket.write(Buffer.alloc(50_000_000), () => {
        isTaken = true;
      });
      await received(256 * 1024);
      // What flows the other way shows that the relay has had its time.
      for (let round = 0; round < 20; round += 1) {
        stream.write(Buffer.from("tick"));
        await caller.read(4);
      }
      expect(isTaken).toBe(false);
      stream.reset("target-reset", "the target went away");
      await closed;
    });
  });

  it("that the target refuses gets the target's answer", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send(HANDSHAKE);
      const { stream, closed } = await agent.nextRequest();
      const headers = ["Content-Length", "2", "X-Why", "not here"];
      stream.respond({ status: 403, statusText: "No", headers }, { body: Buffer.from("no"), end: true });
      stream.stop("response-complete");
      const response = await caller.readResponse();
      expect(response.statusLine).toBe("HTTP/1.1 403 No");
      expect(response.lines).toEqual(["Content-Length: 2", "X-Why: not here", "Connection: close"]);
      expect(response.body.toString()).toBe("no");
      expect(await caller.closed).toBeUndefined();
      expect((await closed).reset).toBeUndefined();
    });
  });

  it("ends with the caller: an end is passed on, a lost caller resets the stream", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const orderly = await world.caller();
      orderly.send(HANDSHAKE);
      const first = await agent.nextRequest();
      first.stream.respond(SWITCHING);
      await orderly.readHead();
      orderly.socket.end("bye");
      expect((await first.body).bytes.toString()).toBe("bye");
      first.stream.end();
      await orderly.closed;

      const lost = await world.caller();
      lost.send(HANDSHAKE);
      const second = await agent.nextRequest();
      second.stream.respond(SWITCHING);
      await lost.readHead();
      lost.socket.resetAndDestroy();
      expect(await second.closed).toEqual({ reset: "caller-gone" });
    });
  });

  it("is cut when the target breaks off", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send(HANDSHAKE);
      const { stream } = await agent.nextRequest();
      stream.respond(SWITCHING);
      await caller.readHead();
      stream.reset("target-reset", "the target broke off");
      expect((await caller.readToEnd()).length).toBe(0);
    });
  });

  it("gets the relay's own answer by the place of failure", async () => {
    await withRelay({ routing: "path", responseTimeoutMs: 60 }, async (world) => {
      const agent = await world.agent({ name: "one" });
      const statusOf = async (path: string): Promise<number> => {
        const caller = await world.caller();
        caller.send(HANDSHAKE.replace("/socket", path));
        const response = await caller.readResponse();
        expect(fieldOf(response.lines, "connection")).toBe("close");
        expect(JSON.parse(response.body.toString())).toHaveProperty("error.hint");
        return response.status;
      };
      expect(await statusOf("/elsewhere")).toBe(404);
      expect(await statusOf("/t/two/")).toBe(404);
      expect(await statusOf("/healthz")).toBe(404);
      expect(await statusOf("/t/one/silent")).toBe(504);
      expect(await (await agent.nextRequest()).closed).toEqual({ reset: "target-timeout" });
      void agent.nextRequest().then(({ stream }) => stream.reset("target-refused", "nobody there"));
      expect(await statusOf("/t/one/refused")).toBe(502);
    });
  });
});
