import { providerById } from "@tenfold/providers";
import type { Target } from "../../forward/target.ts";
import type { DeliveryRecord } from "../../history/history-store.ts";
import { deliveryRecord } from "../../output/testing/records.ts";

export const SECRET = "whsec_dGVuZm9sZA";
export const SECRETS: ReadonlyMap<string, readonly string[]> = new Map([["stripe", [SECRET]]]);
export const NO_SECRETS: ReadonlyMap<string, readonly string[]> = new Map();
export const TARGET: Target = {
  url: "http://localhost:3000",
  idempotencyHeader: null,
  hostHeader: "preserve",
  timeoutMs: 1_000,
};

const EVENT =
  '{ "id": "evt_1QabcdefGHIJKL",\n  "object": "event", "type": "invoice.paid", "note": "evt_1QabcdefGHIJKL" }';

/** A Stripe event as it was captured, signed at that time in ms since the epoch. */
export function stripeDelivery(signedAt: number, changes: Partial<DeliveryRecord> = {}): DeliveryRecord {
  const bytes = new TextEncoder().encode(EVENT);
  const webhook = {
    method: "POST",
    url: "/hooks",
    headers: ["Host", "shop.test", "Stripe-Signature", ""],
    body: bytes,
  };
  const signed = providerById("stripe")?.signature?.sign(webhook, SECRET, signedAt);
  return deliveryRecord({
    receivedAt: signedAt,
    headers: signed?.headers ?? [],
    body: { bytes, size: bytes.length, truncated: false },
    ...changes,
  });
}

/** A delivery of a sender that gives it no key. */
export function keylessDelivery(changes: Partial<DeliveryRecord> = {}): DeliveryRecord {
  const bytes = new TextEncoder().encode('{"sum":12}');
  return deliveryRecord({
    provider: null,
    event: null,
    key: "0199b7e4-minted",
    keySource: "minted",
    signature: "none",
    body: { bytes, size: bytes.length, truncated: false },
    ...changes,
  });
}
