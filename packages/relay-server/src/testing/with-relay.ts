import { connect } from "node:net";
import { createRelay } from "../create-relay.ts";
import type { Relay, RelayConfig } from "../config.ts";
import { RawConnection } from "./raw-connection.ts";
import { connectAgent, type AgentScript, type ScriptedAgent } from "./scripted-agent.ts";

interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly fields: Record<string, string | number | boolean>;
}

/** A running relay and the means to put agents and callers at its two sides. */
export interface RelayWorld {
  readonly relay: Relay;
  readonly log: readonly LogLine[];
  /** Connects an agent and waits for its welcome. */
  agent(script?: AgentScript): Promise<ScriptedAgent>;
  /** Connects an agent that is not expected to be welcomed. */
  stranger(script?: AgentScript): Promise<ScriptedAgent>;
  caller(): Promise<RawConnection>;
  /** Waits until the relay has logged that event. */
  logged(event: string): Promise<void>;
}

/** What a test may leave behind on purpose. */
export interface Leftovers {
  /** Streams that the agents lost with their session; default 0. */
  readonly lostStreams?: number;
}

const DEFAULTS: RelayConfig = { host: "127.0.0.1", port: 0, routing: "embedded", tokens: [] };

/**
 * Runs the test against a relay of its own, then closes it and sees that nothing is left: no stream that only ended with its
 * session, and a port that refuses connections.
 */
export async function withRelay(
  config: Partial<RelayConfig>,
  test: (world: RelayWorld) => Promise<void>,
  leftovers: Leftovers = {},
): Promise<void> {
  const log: LogLine[] = [];
  const waiting: (() => void)[] = [];
  const agents: ScriptedAgent[] = [];
  const callers: RawConnection[] = [];
  const relay = await createRelay(
    { ...DEFAULTS, ...config },
    {
      now: Date.now,
      log(level, event, fields) {
        log.push({ level, event, fields });
        waiting.splice(0).forEach((wake) => wake());
      },
    },
  );
  const stranger = async (script: AgentScript = {}): Promise<ScriptedAgent> => {
    const agent = await connectAgent(relay.url, script);
    agents.push(agent);
    return agent;
  };
  const world: RelayWorld = {
    relay,
    log,
    stranger,
    async agent(script) {
      const agent = await stranger(script);
      await agent.welcomed;
      return agent;
    },
    async logged(event) {
      while (!log.some((line) => line.event === event)) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    async caller() {
      const caller = await RawConnection.open(relay.port);
      callers.push(caller);
      return caller;
    },
  };
  try {
    await test(world);
  } finally {
    for (const caller of callers) {
      caller.destroy();
    }
    await relay.close(1_000);
  }
  await assertNothingLeft(relay, agents, leftovers);
}

async function assertNothingLeft(
  relay: Relay,
  agents: readonly ScriptedAgent[],
  leftovers: Leftovers,
): Promise<void> {
  await Promise.all(agents.map(async (agent) => agent.ended));
  const ends = await Promise.all(
    agents.flatMap((agent) => agent.requests).map(async (request) => request.closed),
  );
  const lost = ends.filter((end) => end.reset === "session-lost").length;
  if (lost !== (leftovers.lostStreams ?? 0)) {
    throw new Error(`${lost} streams only ended with their session`);
  }
  if (await isListening(relay.port)) {
    throw new Error(`port ${relay.port} is still open`);
  }
}

async function isListening(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
