import type { ProviderProfile, Webhook } from "./profile.ts";
import { stripe } from "./profiles/stripe.ts";

/** All known providers, in the order in which they are asked. */
export const providers: readonly ProviderProfile[] = [stripe];

/** The provider with that id (`stripe`); undefined when there is none. */
export function providerById(id: string): ProviderProfile | undefined {
  return providers.find((profile) => profile.id === id);
}

/** The first provider that knows the webhook as its own; undefined when none does. Never throws. */
export function detectProvider(webhook: Webhook): ProviderProfile | undefined {
  return providers.find((profile) => profile.detect(webhook));
}
