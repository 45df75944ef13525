import { isStale, providerById, resign, verifyWebhook } from "@tenfold/providers";
import type { ProviderProfile, Webhook } from "@tenfold/providers";
import type { DeliveryRecord } from "../history/history-store.ts";
import type { PreparedAttempt } from "./run-plan.ts";

/** The delivery as the provider's functions read it. */
export function toWebhook(delivery: DeliveryRecord): Webhook {
  return {
    method: delivery.method,
    url: delivery.path,
    headers: delivery.headers,
    body: delivery.body.bytes,
  };
}

export function profileOf(delivery: DeliveryRecord): ProviderProfile | undefined {
  return delivery.provider === null ? undefined : providerById(delivery.provider);
}

/**
 * The secret to sign with: the one that the stored signature was made with, in date or not, since during a rotation the
 * handler may know only that one; else the first. Undefined: none is known.
 */
export function signingSecret(
  delivery: DeliveryRecord,
  secrets: ReadonlyMap<string, readonly string[]>,
  now: number,
): string | undefined {
  const profile = profileOf(delivery);
  const known = (profile === undefined ? undefined : secrets.get(profile.id)) ?? [];
  const fitting = known.find((secret) => {
    const { state } = verifyWebhook(toWebhook(delivery), profile, [secret], now);
    return state === "valid" || state === "expired";
  });
  return fitting ?? known[0];
}

export interface PrepareOptions {
  readonly secret: string | undefined;
  /** The stored signature does not cover the stored bytes. */
  readonly isBroken: boolean;
}

/**
 * Makes an attempt of the stored bytes. A signature that is out of date by `now`, or does not fit, is made anew when the
 * secret is known: key, body and all other headers stay.
 */
export function prepareAttempt(
  delivery: DeliveryRecord,
  { secret, isBroken }: PrepareOptions,
  now: number,
): PreparedAttempt {
  const webhook = toWebhook(delivery);
  const profile = profileOf(delivery);
  const isUnfit = isBroken || isStale(webhook, profile, now);
  const isRenewed = isUnfit && secret !== undefined && profile !== undefined;
  const sent = isRenewed ? resign(webhook, profile, secret, now) : webhook;
  return {
    outgoing: {
      id: delivery.id,
      method: delivery.method,
      path: delivery.path,
      headers: sent.headers,
      key: delivery.key,
      body: delivery.body.bytes,
      ...(profile === undefined ? {} : { acknowledges: (status: number) => profile.acknowledges(status) }),
      changed: isRenewed,
    },
    signature: isUnfit && !isRenewed ? unfitSignature(isBroken) : "fits",
  };
}

function unfitSignature(isBroken: boolean): PreparedAttempt["signature"] {
  return isBroken ? "broken" : "stale";
}
