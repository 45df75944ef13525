import { ProviderError } from "./errors.ts";
import { isUsableSecret } from "./hmac.ts";
import type { ProviderProfile, Webhook } from "./profile.ts";
import { isOutsideTolerance } from "./tolerance.ts";

/**
 * Would the provider's own library refuse the webhook for the age of its signature? False when there is no signature, no
 * timestamp or no tolerance: such a capture stays as good as it was.
 *
 * @param now ms since the epoch
 */
export function isStale(webhook: Webhook, profile: ProviderProfile | undefined, now: number): boolean {
  const scheme = profile?.signature;
  const signedAt = scheme?.signedAt(webhook);
  return scheme != null && signedAt !== undefined && isOutsideTolerance(scheme, signedAt, now);
}

/**
 * The webhook with its signature made anew over the present body: key, body and all other headers stay byte for byte.
 * The same webhook when the provider does not sign.
 *
 * @param now ms since the epoch
 * @throws ProviderError `secret-blank`
 */
export function resign(webhook: Webhook, profile: ProviderProfile, secret: string, now: number): Webhook {
  if (profile.signature === null) {
    return webhook;
  }
  if (!isUsableSecret(secret)) {
    throw new ProviderError(
      "secret-blank",
      `The secret for ${profile.name} is empty, so nothing can be signed with it. Set it, or leave it out.`,
    );
  }
  return profile.signature.sign(webhook, secret, now);
}
