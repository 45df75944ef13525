import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createReconnectPolicy } from "./reconnect-policy.ts";

const longest = (): number => 1 - Number.EPSILON;
const shortest = (): number => 0;

function delays(random: () => number, count: number): number[] {
  const policy = createReconnectPolicy(random);
  return Array.from({ length: count }, () => policy.nextDelayMs());
}

describe("createReconnectPolicy", () => {
  it("doubles the bound of each wait, up to 30 s", () => {
    expect(delays(longest, 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it("never waits less than half a second", () => {
    expect(delays(shortest, 3)).toEqual([500, 500, 500]);
  });

  it("starts again with short waits after a stable session, and only then", () => {
    const policy = createReconnectPolicy(longest);
    policy.nextDelayMs();
    policy.nextDelayMs();
    policy.sessionEnded(29_999);
    expect(policy.nextDelayMs()).toBe(4_000);
    policy.sessionEnded(30_000);
    expect(policy.nextDelayMs()).toBe(1_000);
  });

  it("stays between half a second and 30 s, for ever", () => {
    const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 2_000 }), (values) => {
        let index = 0;
        const policy = createReconnectPolicy(() => values[index++ % values.length] ?? 0);
        for (let tries = 0; tries < values.length; tries += 1) {
          const delay = policy.nextDelayMs();
          expect(delay >= 500 && delay <= 30_000).toBe(true);
        }
      }),
    );
  });
});
