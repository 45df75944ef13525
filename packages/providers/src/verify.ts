import { isUsableSecret } from "./hmac.ts";
import type { ProviderProfile, SignatureScheme, VerifyStatus, Webhook } from "./profile.ts";

/**
 * - `unknown`: the webhook is signed, but no secret is known
 * - `none`: no known provider, or one that does not sign
 */
export type SignatureState = VerifyStatus | "unknown" | "none";

/**
 * Checks the signature as the provider's own library would.
 *
 * @param secrets all that are valid just now (rotation); blank ones don't count
 * @param now ms since the epoch
 * @returns `missing` also when no secret is known: that needs none. Never throws on bad input.
 */
export function verifyWebhook(
  webhook: Webhook,
  profile: ProviderProfile | undefined,
  secrets: readonly string[],
  now: number,
): { readonly state: SignatureState; readonly reason: string } {
  if (profile === undefined) {
    return { state: "none", reason: "no known provider" };
  }
  if (profile.signature === null) {
    return { state: "none", reason: `${profile.name} does not sign` };
  }
  const usable = secrets.filter(isUsableSecret);
  if (usable.length === 0 && isSigned(webhook, profile.signature)) {
    return { state: "unknown", reason: `no secret for ${profile.name} is known` };
  }
  const { status, reason } = profile.signature.verify(webhook, usable, now);
  return { state: status, reason };
}

/** Does the webhook carry a signature, good or bad? Needs no secret. */
export function isSigned(webhook: Webhook, scheme: SignatureScheme): boolean {
  return scheme.verify(webhook, [], 0).status !== "missing";
}
