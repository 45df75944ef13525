import { describe, expect, it } from "vitest";
import { Heartbeat } from "./heartbeat.ts";
import { PING_DEADLINE_MS, PING_INTERVAL_MS } from "./limits.ts";

describe("the heartbeat", () => {
  it("pings a silent link after the interval, and gives it up after the deadline: within 25 s in all", () => {
    const heartbeat = new Heartbeat(0);
    expect(heartbeat.check(0)).toEqual({ do: "wait", nextMs: PING_INTERVAL_MS });
    expect(heartbeat.check(PING_INTERVAL_MS)).toEqual({ do: "ping", nextMs: PING_DEADLINE_MS });
    expect(heartbeat.check(PING_INTERVAL_MS + PING_DEADLINE_MS - 1)).toEqual({ do: "wait", nextMs: 1 });
    expect(heartbeat.check(PING_INTERVAL_MS + PING_DEADLINE_MS)).toEqual({ do: "give-up", nextMs: 0 });
    expect(PING_INTERVAL_MS + PING_DEADLINE_MS).toBe(25_000);
  });

  it("takes any sign of life for an answer", () => {
    const heartbeat = new Heartbeat(0);
    heartbeat.check(PING_INTERVAL_MS);
    heartbeat.seen(PING_INTERVAL_MS + 5000);
    expect(heartbeat.check(PING_INTERVAL_MS + 10_000)).toEqual({ do: "wait", nextMs: 10_000 });
  });
});
