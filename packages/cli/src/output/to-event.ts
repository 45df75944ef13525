import type { AttemptRecord, DeliveryRecord, DeliverySummary } from "../history/history-store.ts";
import type { OutputEvent } from "./renderer.ts";

export type DeliveryEvent = Extract<OutputEvent, { readonly type: "delivery" }>;
export type AttemptEvent = Extract<OutputEvent, { readonly type: "attempt" }>;

/**
 * A delivery as it is shown. A key that Tenfold minted exists for the target's key header only: where the target asks for
 * none, the delivery has no key.
 */
export function toDeliveryEvent(delivery: DeliveryRecord | DeliverySummary): DeliveryEvent {
  const isKeyless = delivery.keySource === "minted" && delivery.idempotencyHeader === null;
  return {
    type: "delivery",
    id: delivery.id,
    key: isKeyless ? null : delivery.key,
    keySource: isKeyless ? "none" : delivery.keySource,
    provider: delivery.provider,
    event: delivery.event,
    method: delivery.method,
    path: delivery.path,
    receivedAt: new Date(delivery.receivedAt).toISOString(),
    signature: delivery.signature,
    replayOf: delivery.replayOf,
  };
}

export function toAttemptEvent(attempt: AttemptRecord): AttemptEvent {
  return {
    type: "attempt",
    id: attempt.id,
    delivery: attempt.deliveryId,
    number: attempt.number,
    trigger: attempt.trigger,
    target: attempt.target,
    status: attempt.status,
    outcome: attempt.outcome,
    durationMs: Math.round(attempt.durationMs),
    effects: attempt.effects,
    cause: attempt.cause,
  };
}
