import Stripe from "stripe";
import { STRIPE_SECRET } from "./handler.ts";

const stripe = new Stripe("sk_test_not_used_for_webhooks");

export interface SignedEvent {
  readonly body: string;
  readonly signature: string;
  readonly id: string;
}

/** An `invoice.paid` event with odd spacing and escapes, signed by the official library. */
export function signedEvent(
  options: { readonly id?: string; readonly ageSeconds?: number } = {},
): SignedEvent {
  const id = options.id ?? "evt_1QabcDEFghiJKLmn0pQRstuv";
  const body = `{ "id":"${id}",\n  "object": "event",  "type":"invoice.paid", "livemode": false, "created": 1767225598,
  "data": { "object": { "id": "in_0001", "object":"invoice", "amount_due": 129900, "url": "https:\\/\\/pay.test\\/i", "note":"z\\u00fcrich ü" } } }`;
  const timestamp = Math.floor(Date.now() / 1000) - (options.ageSeconds ?? 0);
  const signature = stripe.webhooks.generateTestHeaderString({
    payload: body,
    secret: STRIPE_SECRET,
    timestamp,
  });
  return { body, signature, id };
}

/** Posts the event to the public side, as Stripe would. */
export function postEvent(url: string, event: SignedEvent, path = "/webhooks/stripe"): Promise<Response> {
  return fetch(`${url.replace(/\/$/u, "")}${path}`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Stripe-Signature": event.signature,
      "User-Agent": "Stripe/1.0",
    },
    body: event.body,
  });
}

/** Does the official library accept these bytes? */
export function isAccepted(body: string | Uint8Array, signature: string): boolean {
  try {
    stripe.webhooks.constructEvent(Buffer.from(body), signature, STRIPE_SECRET);
    return true;
  } catch {
    return false;
  }
}
