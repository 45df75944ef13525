import { describe, expect, it } from "vitest";
import { CLOSE_TIMEOUT_MS, PING_DEADLINE_MS, PING_INTERVAL_MS } from "./core/limits.ts";
import { FakeClock } from "./testing/fake-clock.ts";
import { createMemoryLink } from "./testing/memory-transport.ts";
import { connectMuxes, openStream } from "./testing/mux-pair.ts";

async function connect() {
  const clock = new FakeClock();
  const [relaySide, agentSide] = createMemoryLink();
  const pair = await connectMuxes(relaySide, agentSide, { now: clock.now, schedule: clock.schedule });
  return { ...pair, clock, relaySide, agentSide };
}

/** Lets all that is under way in memory arrive. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

describe("a session's link", () => {
  it("stays up while it is idle, for one ping each way and interval", async () => {
    const { clock, relaySide, agentSide, relay, over, ends } = await connect();
    for (let interval = 0; interval < 4; interval += 1) {
      clock.advance(PING_INTERVAL_MS);
      await settle();
    }
    expect([relaySide.pings, agentSide.pings]).toEqual([4, 4]);
    expect(ends).toEqual({ relay: [], agent: [] });

    relay.close("test over");
    await over;
    expect(clock.pendingTimers).toBe(0);
  });

  it("is given up by both sides within 25 s when it goes silent, and their streams are told", async () => {
    const { clock, relaySide, relay, agent, over, ends } = await connect();
    const { handler } = openStream(relay);
    await settle();
    relaySide.silence();

    clock.advance(PING_INTERVAL_MS + PING_DEADLINE_MS - 1);
    await settle();
    expect(ends).toEqual({ relay: [], agent: [] });
    clock.advance(1);
    await over;

    expect([ends.relay[0]?.kind, ends.agent[0]?.kind]).toEqual(["lost", "lost"]);
    expect(handler.log).toEqual(["reset session-lost", "close"]);
    expect([relay.openStreams, agent.openStreams, clock.pendingTimers]).toEqual([0, 0, 0]);
  });

  it("is dropped by force when the other side does not take part in an orderly close", async () => {
    const { clock, relaySide, relay, agent, ends } = await connect();
    relaySide.ignoreClose();
    relay.close("enough");
    await settle();
    expect(ends.relay).toEqual([]);

    clock.advance(CLOSE_TIMEOUT_MS);
    await settle();
    expect(ends.relay).toEqual([{ kind: "closed", reason: "enough" }]);
    agent.terminate();
    await settle();
    expect(clock.pendingTimers).toBe(0);
  });
});
