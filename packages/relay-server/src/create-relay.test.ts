import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import type { RelayConfig } from "./config.ts";
import { createRelay } from "./create-relay.ts";
import { RelayError } from "./errors.ts";
import { hashToken } from "./tokens/hash-token.ts";
import { connectAgent } from "./testing/scripted-agent.ts";
import { withRelay } from "./testing/with-relay.ts";

const CONFIG: RelayConfig = { host: "127.0.0.1", port: 0, routing: "path", tokens: [] };
const DEPS = { now: Date.now, log: () => undefined };

const failureOf = async (config: Partial<RelayConfig>): Promise<unknown> =>
  await createRelay({ ...CONFIG, ...config }, DEPS).then(
    async (relay) => relay.close(),
    (error: unknown) => error,
  );

describe("createRelay", () => {
  it.each<[Partial<RelayConfig>, string]>([
    [{ host: "0.0.0.0" }, "needs-token"],
    [{ host: "::" }, "needs-token"],
    [{ host: "127.evil.example" }, "needs-token"],
    [
      { routing: "embedded", host: "0.0.0.0", tokens: [{ id: "a", sha256: hashToken("a"), names: "*" }] },
      "bad-config",
    ],
    [{ port: 65_536 }, "bad-config"],
    [{ port: Number.NaN }, "bad-config"],
    [{ maxBodyBytes: -1 }, "bad-config"],
    [{ maxStreams: 0 }, "bad-config"],
    [{ responseTimeoutMs: 2 ** 31 }, "bad-config"],
    [{ publicUrl: "ftp://x" }, "bad-config"],
    [{ domain: "*.example.com" }, "bad-config"],
    [{ domain: "Hooks.example.com" }, "bad-config"],
    [{ domain: "hooks.example.com." }, "bad-config"],
    [{ domain: "https://hooks.example.com" }, "bad-config"],
    [{ domain: "hooks.example.com:443" }, "bad-config"],
    [{ domain: "" }, "bad-config"],
    [{ domain: "127.0.0.1" }, "bad-config"],
    [{ domain: "hooks.example.com", publicUrl: "https://hooks.example.com/base" }, "bad-config"],
    [{ domain: "hooks.example.com", routing: "embedded" }, "bad-config"],
    [{ publicUrl: "https://user@host" }, "bad-config"],
    [{ tokens: [{ id: "a", sha256: "abc", names: "*" }] }, "bad-config"],
    [{ tokens: [{ id: "a", sha256: hashToken("a"), names: ["-x"] }] }, "bad-config"],
    [{ host: "192.0.2.1", tokens: [{ id: "a", sha256: hashToken("a"), names: "*" }] }, "bad-config"],
  ])("refuses %j with %s and a hint", async (config, code) => {
    const error = await failureOf(config);
    expect(error).toBeInstanceOf(RelayError);
    expect(error).toMatchObject({ code, hint: expect.stringMatching(/\S/) as string });
  });

  it("tells a port that is in use by its code", async () => {
    await withRelay({}, async ({ relay }) => {
      expect(await failureOf({ port: relay.port })).toMatchObject({ code: "port-in-use" });
    });
  });

  it.each(["127.0.0.1", "localhost", "::1"])("listens on %s and names its address", async (host) => {
    const relay = await createRelay({ ...CONFIG, host }, DEPS);
    const response = await fetch(`${relay.url}/healthz`);
    expect(await response.json()).toEqual({ status: "ok" });
    await relay.close();
  });
});

describe("Relay.close", () => {
  it("tells the agents, lets open deliveries end, and then closes their connections", async () => {
    await withRelay({}, async (world) => {
      const agent = await world.agent();
      const caller = await world.caller();
      caller.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      const { stream } = await agent.nextRequest();
      const closed = world.relay.close();
      expect(await agent.drained).toContain("shutting down");
      stream.respond(
        { status: 200, statusText: "OK", headers: ["Content-Length", "2"] },
        { body: Buffer.from("ok"), end: true },
      );
      const response = await caller.readResponse();
      expect(response.body.toString()).toBe("ok");
      expect(response.lines).toContain("Connection: close");
      await closed;
      expect((await agent.ended).kind).toBe("closed");
      await expect(connectAgent(world.relay.url)).rejects.toThrow("ECONNREFUSED");
    });
  });

  it("ends what is still open after its grace: the head gets 502", async () => {
    await withRelay(
      {},
      async (world) => {
        const agent = await world.agent();
        const caller = await world.caller();
        caller.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        await agent.nextRequest();
        await world.relay.close(20);
        expect((await caller.readResponse()).status).toBe(502);
      },
      { lostStreams: 1 },
    );
  });

  it("waits for no idle, half-sent or silent connection, and may be called twice", async () => {
    await withRelay({}, async ({ relay, stranger }) => {
      const [idle, half] = [connect(relay.port, "127.0.0.1"), connect(relay.port, "127.0.0.1")];
      await Promise.all(
        [idle, half].map(async (socket) => new Promise((resolve) => socket.once("connect", resolve))),
      );
      half.write("GET / HT");
      await stranger({ greets: false });
      await expect(Promise.all([relay.close(), relay.close()])).resolves.toBeDefined();
      idle.destroy();
      half.destroy();
    });
  });
});
