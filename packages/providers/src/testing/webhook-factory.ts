import { createHmac } from "node:crypto";
import type { HeaderList, Webhook } from "../profile.ts";

/** 2026-01-01T00:00:00Z, the time at which the tests stand still. */
export const NOW = Date.UTC(2026, 0, 1);

export const SECRET = "whsec_df7MrgEHokP0R1jipxEmste8TmdK6fvy";

/** A POST with that body and those headers. */
export function createWebhook(body: string | Uint8Array, headers: HeaderList = []): Webhook {
  return { method: "POST", url: "/hook", headers, body: typeof body === "string" ? toBytes(body) : body };
}

/** A Stripe webhook, signed independently of the code under test. */
export function createStripeWebhook(body: string, signedAt: number = NOW, secret: string = SECRET): Webhook {
  const timestamp = Math.floor(signedAt / 1000);
  const v1 = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
  return createWebhook(body, [
    "Host",
    "shop.example",
    "stripe-signature",
    `t=${timestamp},v1=${v1},v0=${"0".repeat(64)}`,
    "Content-Type",
    "application/json",
    "Content-Length",
    String(toBytes(body).length),
  ]);
}

export function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function toText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
