import { describe, expect, it } from "vitest";
import { mintKey, newAttemptId, newDeliveryId, newRunId } from "./ids.ts";
import { SAMPLE_TIME } from "./testing/sample-records.ts";

const UUID7 = "[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}";

describe("ids", () => {
  it("are a prefix and a UUIDv7 without dashes", () => {
    expect(newDeliveryId(SAMPLE_TIME)).toMatch(new RegExp(`^dlv_${UUID7}$`, "u"));
    expect(newAttemptId(SAMPLE_TIME)).toMatch(new RegExp(`^att_${UUID7}$`, "u"));
    expect(newRunId(SAMPLE_TIME)).toMatch(new RegExp(`^run_${UUID7}$`, "u"));
  });

  it("begin with the time", () => {
    const later = SAMPLE_TIME + 1_000_000;
    expect(Number.parseInt(newDeliveryId(later).slice(4, 16), 16)).toBe(later);
  });

  it("are all different and in order, also many within one millisecond", () => {
    const now = SAMPLE_TIME + 2_000_000;
    const ids = Array.from({ length: 10_000 }, () => newDeliveryId(now));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted()).toEqual(ids);
  });

  it("stay in order when the clock steps back", () => {
    const now = SAMPLE_TIME + 3_000_000;
    const before = newDeliveryId(now);
    expect(newDeliveryId(now - 60_000) > before).toBe(true);
  });

  it("share nothing but the time when they are made at the same moment", () => {
    const now = SAMPLE_TIME + 4_000_000;
    expect(newDeliveryId(now).slice(20)).not.toBe(newDeliveryId(now).slice(20));
  });
});

describe("a minted key", () => {
  it("is a UUIDv7 with dashes, as receivers of UUIDs expect it", () => {
    expect(mintKey(SAMPLE_TIME)).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u,
    );
  });
});
