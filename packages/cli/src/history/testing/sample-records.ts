import type { DeliveryRecord, NewAttempt } from "../history-store.ts";
import { newAttemptId, newDeliveryId } from "../ids.ts";

/** 2026-01-01T00:00:00Z, in ms. */
export const SAMPLE_TIME = 1_767_225_600_000;

/** A received Stripe webhook; `changes` say what the test is about. */
export function sampleDelivery(changes: Partial<DeliveryRecord> = {}): DeliveryRecord {
  const receivedAt = changes.receivedAt ?? SAMPLE_TIME;
  return {
    id: newDeliveryId(receivedAt),
    receivedAt,
    replayOf: null,
    method: "POST",
    path: "/webhooks/stripe?x=1&x=2",
    headers: ["Content-Type", "application/json", "X-Odd-CASE", "1", "x-odd-case", "\u00fc\u0080"],
    provider: "stripe",
    event: "invoice.paid",
    key: "evt_1",
    keySource: "provider",
    signature: "valid",
    target: "http://127.0.0.1:3000",
    idempotencyHeader: null,
    folder: "/home/ada/shop",
    tunnel: "shop",
    ...changes,
    body: changes.body ?? sampleBody('{"id":"evt_1"}'),
  };
}

/** A whole body. */
export function sampleBody(content: string | Uint8Array): DeliveryRecord["body"] {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return { bytes, size: bytes.length, truncated: false };
}

/** An acknowledged attempt of the delivery. */
export function sampleAttempt(deliveryId: string, changes: Partial<NewAttempt> = {}): NewAttempt {
  return {
    id: newAttemptId(SAMPLE_TIME),
    deliveryId,
    runId: null,
    trigger: "live",
    target: "http://127.0.0.1:3000",
    startedAt: SAMPLE_TIME,
    durationMs: 12.5,
    status: 200,
    statusText: "OK",
    outcome: "acknowledged",
    cause: null,
    responseHeaders: ["Content-Length", "2"],
    responseBody: sampleBody("ok"),
    sentHeaders: null,
    effects: null,
    ...changes,
  };
}
