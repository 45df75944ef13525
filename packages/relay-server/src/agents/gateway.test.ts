import { describe, expect, it } from "vitest";
import type { TokenGrant } from "../config.ts";
import { RawConnection } from "../testing/raw-connection.ts";
import type { AgentScript } from "../testing/scripted-agent.ts";
import { withRelay, type RelayWorld } from "../testing/with-relay.ts";
import { hashToken } from "../tokens/hash-token.ts";

const grant = (id: string, names: TokenGrant["names"]): TokenGrant => ({
  id,
  sha256: hashToken(`token of ${id}`),
  names,
});
const TOKENS = [grant("ann", ["anns", "ann-2"]), grant("bob", "*"), grant("cid", "*")];
const tokenOf = (id: string): string => `token of ${id}`;

const statusOf = async (world: RelayWorld, target: string): Promise<number> => {
  const caller = await world.caller();
  caller.send(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return (await caller.readResponse()).status;
};

const ok: AgentScript = {
  onRequest: ({ stream }) =>
    void stream.respond({ status: 200, statusText: "OK", headers: [] }, { end: true }),
};

describe("an agent that says hello", () => {
  it("is told its name and public URL, which works from then on", async () => {
    await withRelay({ routing: "path", maxBodyBytes: 7 }, async (world) => {
      const agent = await world.agent({ ...ok, name: "my-tunnel" });
      expect(await agent.welcomed).toMatchObject({
        name: "my-tunnel",
        url: `${world.relay.url}/t/my-tunnel`,
        leaseMs: 60_000,
        limits: { maxStreams: 1024, maxBodyBytes: 7 },
      });
      expect(await statusOf(world, "/t/my-tunnel/hook?x")).toBe(200);
      const { head } = await agent.nextRequest();
      expect(head.target).toBe("/hook?x");
      expect(head.headers.slice(-2)).toEqual(["X-Forwarded-Prefix", "/t/my-tunnel"]);
    });
  });

  it("gets a readable name when it wants none, and the same one back after a reconnect", async () => {
    await withRelay({ routing: "path" }, async (world) => {
      const agent = await world.agent();
      const { name } = await agent.welcomed;
      expect(name).toMatch(/^[a-z]+-[a-z]+-\d{4}$/);
      agent.cut();
      await world.logged("agent.disconnected");
      expect((await (await world.agent()).welcomed).name).toBe(name);
      expect((await (await world.agent({ resumeSecret: "another" })).welcomed).name).not.toBe(name);
    });
  });

  it("gets the public URL of the operator in front of its path", async () => {
    await withRelay({ routing: "path", publicUrl: "https://hooks.example/base/" }, async (world) => {
      const agent = await world.agent({ name: "one" });
      expect((await agent.welcomed).url).toBe("https://hooks.example/base/t/one");
    });
  });

  it("serves an embedded relay at its root, whatever name it wants", async () => {
    await withRelay({ routing: "embedded" }, async (world) => {
      const agent = await world.agent({ ...ok, name: "mine" });
      expect(await agent.welcomed).toMatchObject({ name: "mine", url: world.relay.url });
      expect(await statusOf(world, "/_tenfold/agent")).toBe(200);
      expect((await agent.nextRequest()).head.headers).not.toContain("X-Forwarded-Prefix");
    });
  });
});

describe("an agent is refused", () => {
  it.each<[string, AgentScript, string]>([
    ["a token that the relay does not know", { token: "wrong", name: "one" }, "bad-token"],
    ["no token", { name: "one" }, "bad-token"],
    ["a name that is none", { token: tokenOf("bob"), name: "Not_A-Name" }, "bad-name"],
    ["a name that the token does not own", { token: tokenOf("ann"), name: "other" }, "name-not-allowed"],
    ["a name that another token owns", { token: tokenOf("bob"), name: "anns" }, "name-not-allowed"],
    ["a name that another token serves", { token: tokenOf("cid"), name: "served" }, "name-taken"],
    ["another major version", { token: tokenOf("bob"), version: "2.0" }, "version"],
    ["no resume secret", { token: tokenOf("bob"), resumeSecret: "" }, "bad-hello"],
  ])("for %s", async (_why, script, code) => {
    await withRelay({ routing: "path", tokens: TOKENS }, async (world) => {
      await world.agent({ token: tokenOf("bob"), name: "served" });
      const stranger = await world.stranger(script);
      const refusal = await stranger.refused;
      expect(refusal.code).toBe(code);
      expect(refusal.reason).not.toBe("");
      expect(refusal.hint).not.toBe("");
      expect((await stranger.ended).kind).toBe("closed");
      expect(JSON.stringify(world.log)).not.toContain("wrong");
      expect(world.log.filter((line) => line.event === "agent.refused")).toHaveLength(1);
    });
  });

  it("for a name within the lease of another token's lost session", async () => {
    await withRelay({ routing: "path", tokens: TOKENS }, async (world) => {
      const first = await world.agent({ token: tokenOf("bob"), name: "one" });
      first.cut();
      await world.logged("agent.disconnected");
      const other = await world.stranger({ token: tokenOf("cid"), name: "one" });
      expect((await other.refused).code).toBe("name-taken");
      const again = await world.agent({ token: tokenOf("bob"), name: "one", resumeSecret: "another" });
      expect((await again.welcomed).name).toBe("one");
    });
  });

  it("while all names of its token are served by other agents of it", async () => {
    await withRelay({ routing: "path", tokens: TOKENS }, async (world) => {
      const first = await world.agent({ token: tokenOf("ann"), resumeSecret: "1" });
      const second = await world.agent({ token: tokenOf("ann"), resumeSecret: "2" });
      expect((await first.welcomed).name).toBe("anns");
      expect((await second.welcomed).name).toBe("ann-2");
      const third = await world.stranger({ token: tokenOf("ann"), resumeSecret: "3" });
      expect((await third.refused).code).toBe("too-many-tunnels");
      second.cut();
      await world.logged("agent.disconnected");
      const fourth = await world.agent({ token: tokenOf("ann"), resumeSecret: "4" });
      expect((await fourth.welcomed).name).toBe("ann-2");
    });
  });

  it.each([
    ["a web page", "Origin: http://evil.example\r\nSec-WebSocket-Protocol: tenfold.v1\r\n", 403],
    ["another protocol", "Sec-WebSocket-Protocol: tenfold.v9\r\n", 400],
    ["no protocol", "", 400],
  ])("before its WebSocket opens when it is %s", async (_who, headers, status) => {
    await withRelay({}, async (world) => {
      const caller = await world.caller();
      caller.send(
        `GET /_tenfold/agent HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${headers}\r\n`,
      );
      expect((await caller.readResponse()).status).toBe(status);
    });
  });
});

describe("a newer session takes a name over at once", () => {
  it("quietly when it is a reconnect of the same agent", async () => {
    await withRelay({ routing: "path" }, async (world) => {
      const first = await world.agent({ ...ok, name: "one" });
      const isReplaced = Promise.race([first.replaced.then(() => true), first.ended.then(() => false)]);
      const second = await world.agent({ ...ok, name: "one" });
      expect(await isReplaced).toBe(false);
      expect(await statusOf(world, "/t/one/")).toBe(200);
      expect(second.requests).toHaveLength(1);
    });
  });

  it("and tells the old one when it is another agent of the same token", async () => {
    await withRelay({ routing: "path" }, async (world) => {
      const first = await world.agent({ ...ok, name: "one" });
      const second = await world.agent({ ...ok, name: "one", resumeSecret: "second laptop" });
      expect(await first.replaced).toContain("one");
      expect((await first.ended).kind).toBe("closed");
      expect(await statusOf(world, "/t/one/")).toBe(200);
      expect(second.requests).toHaveLength(1);
    });
  });

  it("and the old one's in-flight delivery is answered 502, not left open", async () => {
    await withRelay(
      { routing: "path" },
      async (world) => {
        const first = await world.agent({ name: "one" });
        const status = statusOf(world, "/t/one/");
        await first.nextRequest();
        await world.agent({ name: "one", resumeSecret: "second laptop" });
        expect(await status).toBe(502);
      },
      { lostStreams: 1 },
    );
  });
});

describe("a tunnel without its agent", () => {
  it("is offline while its name is kept, and unknown when nobody has it", async () => {
    await withRelay({ routing: "path", tokens: TOKENS }, async (world) => {
      expect(await statusOf(world, "/t/nobody/")).toBe(404);
      expect(await statusOf(world, "/t/anns/")).toBe(503);
      expect(await statusOf(world, "/")).toBe(404);
      expect(await statusOf(world, "/healthz")).toBe(200);
      const agent = await world.agent({ token: tokenOf("bob"), name: "one" });
      agent.cut();
      await world.logged("agent.disconnected");
      const next = await RawConnection.open(world.relay.port);
      next.send("GET /t/one HTTP/1.1\r\nHost: a\r\n\r\n");
      expect((await next.readResponse()).status).toBe(503);
      next.destroy();
    });
  });
});
