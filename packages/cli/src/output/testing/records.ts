import type { AttemptRecord, DeliveryRecord, DeliverySummary } from "../../history/history-store.ts";

const RECEIVED_AT = Date.UTC(2026, 0, 2, 12, 3, 4, 5);

export function deliveryRecord(changes: Partial<DeliveryRecord> = {}): DeliveryRecord {
  const bytes = new TextEncoder().encode('{"id":"evt_1QabcdefGHIJKL","type":"invoice.paid"}');
  return {
    id: "dlv_019b7e4ac2457abc8def0123456789ab",
    receivedAt: RECEIVED_AT,
    replayOf: null,
    method: "POST",
    path: "/hooks",
    headers: ["Host", "shop.test", "Content-Type", "application/json"],
    provider: "stripe",
    event: "invoice.paid",
    key: "evt_1QabcdefGHIJKL",
    keySource: "provider",
    signature: "valid",
    target: "http://localhost:3000",
    idempotencyHeader: null,
    folder: "/shop",
    tunnel: "shop",
    body: { bytes, size: bytes.length, truncated: false },
    ...changes,
  };
}

export function deliverySummary(changes: Partial<DeliverySummary> = {}): DeliverySummary {
  const { headers: _headers, body, ...record } = deliveryRecord();
  return {
    ...record,
    bodySize: body.size,
    bodyTruncated: false,
    attempts: 1,
    lastStatus: 200,
    lastOutcome: "acknowledged",
    ...changes,
  };
}

export function attemptRecord(changes: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    id: "att_019b7e4ac2467abc8def0123456789ab",
    deliveryId: "dlv_019b7e4ac2457abc8def0123456789ab",
    number: 1,
    runId: null,
    trigger: "live",
    target: "http://localhost:3000",
    startedAt: RECEIVED_AT,
    durationMs: 12.4,
    status: 200,
    statusText: "OK",
    outcome: "acknowledged",
    cause: null,
    responseHeaders: [],
    responseBody: null,
    sentHeaders: null,
    effects: null,
    ...changes,
  };
}
