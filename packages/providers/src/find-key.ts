import { detectProvider } from "./detect.ts";
import { findHeaderKey } from "./key-header.ts";
import type { FoundKey, KeyLocation, ProviderProfile, Webhook } from "./profile.ts";

/** Who put the key there: the provider's own event or delivery id, or a key header of any sender. */
export type KeySource = "provider" | "header";

export interface Key {
  /** Without quotes. */
  readonly key: string;
  readonly source: KeySource;
  readonly location: KeyLocation;
  /** Id of the provider that the webhook comes from, whichever the source; null when it is not known. */
  readonly provider: string | null;
}

/**
 * The idempotency key that the webhook brings: the provider's own id, else `Idempotency-Key`, else `X-Idempotency-Key`.
 * Never derived from the body's content.
 *
 * @returns undefined when it brings none. Never throws.
 */
export function findKey(
  webhook: Webhook,
  profile: ProviderProfile | undefined = detectProvider(webhook),
): Key | undefined {
  const provider = profile?.id ?? null;
  const own = profile?.findKey(webhook);
  if (own !== undefined) {
    return toKey(own, "provider", provider);
  }
  const header = findHeaderKey(webhook.headers);
  return header === undefined ? undefined : toKey(header, "header", provider);
}

function toKey(found: FoundKey, source: KeySource, provider: string | null): Key {
  return { key: found.key, source, location: found.location, provider };
}
