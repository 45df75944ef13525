import { createMemoryLink } from "@tenfold/protocol/testing";
import { createAgentMux, type SessionEnd } from "@tenfold/protocol";
import { describe, expect, it } from "vitest";
import { TunnelRegistry } from "../tunnels/registry.ts";
import { AgentConnection, type AgentSession } from "./connection.ts";

describe("AgentConnection", () => {
  it("is closed when no hello comes in time", async () => {
    const [agentEnd, relayEnd] = createMemoryLink();
    const end = new Promise<SessionEnd>((onEnd) => {
      const ignore = (): void => undefined;
      createAgentMux(agentEnd, {
        onWelcome: ignore,
        onRefused: ignore,
        onReplaced: ignore,
        onDrain: ignore,
        onGap: ignore,
        onRequest: () => ({
          onData: ignore,
          onEnd: ignore,
          onWritable: ignore,
          onStop: ignore,
          onReset: ignore,
          onClose: ignore,
        }),
        onEnd,
      });
    });
    const connection = new AgentConnection(
      relayEnd,
      { host: "127.0.0.1", port: 0, routing: "path", tokens: [] },
      {
        now: Date.now,
        log: () => undefined,
        registry: new TunnelRegistry<AgentSession>({ now: Date.now }),
        urlOf: (name) => name,
        helloTimeoutMs: 1,
      },
    );
    expect((await end).reason).toContain("no hello");
    await connection.ended;
  });
});
