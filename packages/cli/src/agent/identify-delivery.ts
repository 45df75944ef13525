import type { RequestHead } from "@tenfold/protocol";
import { detectProvider, findKey, getHeader, verifyWebhook } from "@tenfold/providers";
import type { ProviderProfile, SignatureState, Webhook } from "@tenfold/providers";
import type { Target } from "../forward/target.ts";
import type { CapturedBody, StoredKeySource } from "../history/history-store.ts";

/** A delivery's key and where it is from. */
export interface DeliveryKey {
  readonly key: string;
  readonly keySource: StoredKeySource;
}

/** What can be read off a delivery. */
export interface DeliveryIdentity extends DeliveryKey {
  readonly profile: ProviderProfile | undefined;
  readonly provider: string | null;
  readonly event: string | null;
  readonly signature: SignatureState;
}

export interface IdentifyOptions {
  /** By provider id. */
  readonly secrets: ReadonlyMap<string, readonly string[]>;
  /** ms since the epoch. */
  readonly now: number;
  /** Used when the webhook has no key of its own. */
  readonly mintedKey: string;
}

/** Reads provider, event, key and signature of a captured delivery. Of a truncated one only what the head tells is sure. */
export function identifyDelivery(
  head: RequestHead,
  body: CapturedBody,
  options: IdentifyOptions,
): DeliveryIdentity {
  const webhook = toWebhook(head, body.bytes);
  const profile = detectProvider(webhook);
  return {
    profile,
    provider: profile?.id ?? null,
    event: profile?.eventType(webhook) ?? null,
    ...keyOf(webhook, profile, options.mintedKey),
    signature: signatureOf(webhook, profile, body, options),
  };
}

/**
 * The key that goes in the target's key header, when the head alone settles it: the target asks for none, the sender has
 * set that header itself, or the provider puts its id in a header. Undefined: the body has to be read first.
 */
export function keyFromHead(head: RequestHead, target: Target, mintedKey: string): DeliveryKey | undefined {
  const name = target.idempotencyHeader;
  const webhook = toWebhook(head, new Uint8Array());
  const found = keyOf(webhook, detectProvider(webhook), mintedKey);
  const settled =
    name === null || getHeader(head.headers, name) !== undefined || found.keySource === "provider";
  return settled ? found : undefined;
}

/** The key of a delivery whose body is known as far as `body` goes. */
export function keyFromBody(head: RequestHead, body: Uint8Array, mintedKey: string): DeliveryKey {
  const webhook = toWebhook(head, body);
  return keyOf(webhook, detectProvider(webhook), mintedKey);
}

function toWebhook(head: RequestHead, body: Uint8Array): Webhook {
  return { method: head.method, url: head.target, headers: head.headers, body };
}

function keyOf(webhook: Webhook, profile: ProviderProfile | undefined, mintedKey: string): DeliveryKey {
  const found = findKey(webhook, profile);
  return found === undefined
    ? { key: mintedKey, keySource: "minted" }
    : { key: found.key, keySource: found.source };
}

/** A signature covers the whole body: over a part of it nothing can be said. */
function signatureOf(
  webhook: Webhook,
  profile: ProviderProfile | undefined,
  body: CapturedBody,
  options: IdentifyOptions,
): SignatureState {
  const secrets = body.truncated || profile === undefined ? [] : (options.secrets.get(profile.id) ?? []);
  return verifyWebhook(webhook, profile, secrets, options.now).state;
}
