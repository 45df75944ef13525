import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createReconnectPolicy } from "./reconnect-policy.ts";

const longest = (): number => 1 - Number.EPSILON;
const shortest = (): number => 0;

function delays(random: () => number, times: readonly number[]): number[] {
  const policy = createReconnectPolicy(random);
  return times.map((now) => policy.nextDelayMs(now));
}

describe("createReconnectPolicy", () => {
  it("doubles the bound of each wait, up to 5 s in the first minute of an outage", () => {
    expect(delays(longest, [0, 1, 2, 3, 4, 59_999])).toEqual([1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
  });

  it("goes up to 30 s once the outage is longer than a minute", () => {
    expect(delays(longest, [100, 60_099, 60_100, 60_101, 60_102, 60_103])).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000,
    ]);
    expect(
      delays(
        longest,
        Array.from({ length: 9 }, (_, at) => at * 60_000),
      ).slice(-2),
    ).toEqual([30_000, 30_000]);
  });

  it("never waits less than half a second", () => {
    expect(delays(shortest, [0, 1, 90_000])).toEqual([500, 500, 500]);
  });

  it("starts again with short waits after a stable session, and only then", () => {
    const policy = createReconnectPolicy(longest);
    policy.nextDelayMs(0);
    policy.nextDelayMs(0);
    policy.sessionEnded(29_999);
    expect(policy.nextDelayMs(0)).toBe(4_000);
    policy.sessionEnded(30_000);
    expect(policy.nextDelayMs(0)).toBe(1_000);
  });

  it("takes the loss of a session for a new outage, however short the session was", () => {
    const policy = createReconnectPolicy(longest);
    for (let at = 0; at < 9; at += 1) policy.nextDelayMs(at * 60_000);
    policy.sessionEnded(1);
    expect(policy.nextDelayMs(10 * 60_000)).toBe(5_000);
  });

  it("stays between half a second and 30 s, for ever", () => {
    const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 2_000 }), (values) => {
        let index = 0;
        const policy = createReconnectPolicy(() => values[index++ % values.length] ?? 0);
        for (let tries = 0; tries < values.length; tries += 1) {
          const delay = policy.nextDelayMs(tries * 1_000);
          expect(delay >= 500 && delay <= 30_000).toBe(true);
        }
      }),
    );
  });
});
