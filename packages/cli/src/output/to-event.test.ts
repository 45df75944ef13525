import { describe, expect, it } from "vitest";
import { attemptRecord, deliveryRecord, deliverySummary } from "./testing/records.ts";
import { toAttemptEvent, toDeliveryEvent } from "./to-event.ts";

describe("toDeliveryEvent", () => {
  it("has exactly the fields of the contract, from a record and from a row of the list alike", () => {
    const event = {
      type: "delivery",
      id: "dlv_019b7e4ac2457abc8def0123456789ab",
      key: "evt_1QabcdefGHIJKL",
      keySource: "provider",
      provider: "stripe",
      event: "invoice.paid",
      method: "POST",
      path: "/hooks",
      receivedAt: "2026-01-02T12:03:04.005Z",
      signature: "valid",
      replayOf: null,
    };
    expect(toDeliveryEvent(deliveryRecord())).toStrictEqual(event);
    expect(toDeliveryEvent(deliverySummary())).toStrictEqual(event);
  });

  it("shows a minted key only where the target asks for a key header", () => {
    const minted = { key: "0199-minted", keySource: "minted" } as const;
    expect(toDeliveryEvent(deliveryRecord(minted))).toMatchObject({ key: null, keySource: "none" });
    expect(
      toDeliveryEvent(deliveryRecord({ ...minted, idempotencyHeader: "X-Idempotency-Key" })),
    ).toMatchObject({
      key: "0199-minted",
      keySource: "minted",
    });
  });
});

describe("toAttemptEvent", () => {
  it("has exactly the fields of the contract", () => {
    expect(toAttemptEvent(attemptRecord())).toStrictEqual({
      type: "attempt",
      id: "att_019b7e4ac2467abc8def0123456789ab",
      delivery: "dlv_019b7e4ac2457abc8def0123456789ab",
      number: 1,
      trigger: "live",
      target: "http://localhost:3000",
      status: 200,
      outcome: "acknowledged",
      durationMs: 12,
      effects: null,
      cause: null,
    });
  });
});
