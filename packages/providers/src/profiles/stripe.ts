import { getHeader } from "../header-list.ts";
import { readJsonString } from "../json-edit.ts";
import { isUsableKey, mintPrefixedKey } from "../key-form.ts";
import type { Fact, FoundKey, ProviderProfile, RetryPolicy, Webhook } from "../profile.ts";
import { STRIPE_SIGNATURE, stripeSignature } from "./stripe-signature.ts";

const ID_PATH = ["id"] as const;
const ID_PREFIX = "evt_";
const EVENT_OBJECTS: ReadonlySet<string> = new Set(["event", "v2.core.event"]);

/** Longest event type that is reported, in chars; Stripe's own stay below 80. */
const MAX_EVENT_TYPE_CHARS = 255;

const COLLECTED = "2026-11-30";
const TIMEOUT_PAGE = "https://support.stripe.com/questions/webhooks-how-to-investigate-and-fix-timed-out";
const RETRY_ARTICLE =
  "https://dev.to/shannonllc/stripe-webhooks-retries-ordering-duplicates-timeouts-and-ips-46f0";

const DAY_SECONDS = 24 * 60 * 60;

const documentedRetries: Fact<RetryPolicy> = {
  value: {
    delaysSeconds: null,
    totalSeconds: 3 * DAY_SECONDS,
    note: "live: up to 3 days, exponential; sandbox: 3 tries over a few hours; intervals and count are not published",
  },
  confidence: "T",
  sources: [RETRY_ARTICLE],
  date: COLLECTED,
};

const reportedRetries: Fact<RetryPolicy> = {
  value: {
    delaysSeconds: null,
    totalSeconds: null,
    attempts: 16,
    note: "often published: stops after 16 attempts; no source was found for it",
  },
  confidence: "U",
  sources: [],
  date: COLLECTED,
};

/** Snapshot events (`object: "event"`) and thin events (`object: "v2.core.event"`) alike. */
export const stripe: ProviderProfile = {
  id: "stripe",
  name: "Stripe",
  detect: (webhook) => getHeader(webhook.headers, STRIPE_SIGNATURE) !== undefined || hasEventBody(webhook),
  findKey: findStripeKey,
  eventType: readEventType,
  mintKey: mintPrefixedKey,
  signature: stripeSignature,
  acknowledges: (status) => status >= 200 && status < 300,
  timeoutMs: {
    // Claims of 30 s, 3 s and 0.5 s exist without a source; Stripe's own page names no number.
    value: null,
    confidence: "O",
    sources: [TIMEOUT_PAGE],
    date: COLLECTED,
  },
  retryPolicies: { documented: documentedRetries, reported: reportedRetries },
};

/** For webhooks that lost their signature on the way, or never had one: fixtures, other tools' forwards. */
function hasEventBody(webhook: Webhook): boolean {
  // A search for the prefix is far faster than a scan, and most bodies of other senders lack it.
  const { buffer, byteOffset, byteLength } = webhook.body;
  if (!Buffer.from(buffer, byteOffset, byteLength).includes(ID_PREFIX)) {
    return false;
  }
  const object = readJsonString(webhook.body, ["object"]);
  return (
    object !== undefined &&
    EVENT_OBJECTS.has(object) &&
    findStripeKey(webhook)?.key.startsWith(ID_PREFIX) === true
  );
}

function findStripeKey(webhook: Webhook): FoundKey | undefined {
  const key = readJsonString(webhook.body, ID_PATH);
  return key !== undefined && isUsableKey(key) ? { key, location: { in: "body", path: ID_PATH } } : undefined;
}

function readEventType(webhook: Webhook): string | undefined {
  const type = readJsonString(webhook.body, ["type"]);
  return type !== undefined && type.length <= MAX_EVENT_TYPE_CHARS ? type : undefined;
}
