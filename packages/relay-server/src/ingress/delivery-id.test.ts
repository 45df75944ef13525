import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDeliveryIds } from "./delivery-id.ts";

describe("createDeliveryIds", () => {
  it("makes a UUIDv7 without dashes from the clock", () => {
    const nextId = createDeliveryIds(() => 0x0123_4567_89ab);
    expect(nextId()).toMatch(/^dlv_0123456789ab7000[89ab][0-9a-f]{15}$/);
  });

  it("never goes back, whatever the clock does", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 2 ** 40 }), { minLength: 2 }), (times) => {
        let at = 0;
        const nextId = createDeliveryIds(() => times[at] ?? 0);
        const ids = times.map((_time, index) => {
          at = index;
          return nextId();
        });
        expect([...ids].sort()).toEqual(ids);
      }),
    );
  });

  it("stays in order and unique beyond what one millisecond can count", () => {
    const nextId = createDeliveryIds(() => 1_000);
    const ids = Array.from({ length: 10_000 }, nextId);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
