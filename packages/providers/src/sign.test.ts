import { describe, expect, it } from "vitest";
import type { ProviderProfile, SignatureScheme } from "./profile.ts";
import { stripe } from "./profiles/stripe.ts";
import { stripeSignature } from "./profiles/stripe-signature.ts";
import { isStale, resign } from "./sign.ts";
import { createStripeWebhook, createWebhook, NOW, SECRET } from "./testing/webhook-factory.ts";
import { verifyWebhook } from "./verify.ts";

const body = '{"id":"evt_1","object":"event"}';
const unsigning: ProviderProfile = { ...stripe, signature: null };

describe("a stale signature", () => {
  it("is one whose timestamp is older than the provider's tolerance, to the second", () => {
    expect(isStale(createStripeWebhook(body, NOW - 300_000), stripe, NOW)).toBe(false);
    expect(isStale(createStripeWebhook(body, NOW - 300_000), stripe, NOW + 999)).toBe(false);
    expect(isStale(createStripeWebhook(body, NOW - 301_000), stripe, NOW)).toBe(true);
  });

  it("is not one from the future, which the provider's library accepts", () => {
    expect(isStale(createStripeWebhook(body, NOW + 3_600_000), stripe, NOW)).toBe(false);
  });

  it("is one from too far in the future where the provider's library looks at that", () => {
    const signature: SignatureScheme = { ...stripeSignature, futureToleranceSeconds: 60 };
    const twoSided: ProviderProfile = { ...stripe, signature };
    expect(isStale(createStripeWebhook(body, NOW + 60_000), twoSided, NOW)).toBe(false);
    expect(isStale(createStripeWebhook(body, NOW + 61_000), twoSided, NOW)).toBe(true);
  });

  it("needs a provider, a signature, a timestamp and a tolerance", () => {
    const signature: SignatureScheme = { ...stripeSignature, toleranceSeconds: null };
    const old = createStripeWebhook(body, 0);
    expect(isStale(old, undefined, NOW)).toBe(false);
    expect(isStale(old, unsigning, NOW)).toBe(false);
    expect(isStale(old, { ...stripe, signature }, NOW)).toBe(false);
    expect(isStale(createWebhook(body), stripe, NOW)).toBe(false);
    expect(isStale(createWebhook(body, ["Stripe-Signature", "v1=00"]), stripe, NOW)).toBe(false);
  });
});

describe("signing again", () => {
  const old = createStripeWebhook(body, NOW - 3_600_000);

  it("makes a stale capture valid and changes the one header only", () => {
    const fresh = resign(old, stripe, SECRET, NOW);
    expect(verifyWebhook(old, stripe, [SECRET], NOW).state).toBe("expired");
    expect(verifyWebhook(fresh, stripe, [SECRET], NOW).state).toBe("valid");
    expect(fresh.body).toBe(old.body);
    expect(fresh.headers.toSpliced(3, 1)).toEqual(old.headers.toSpliced(3, 1));
    expect(fresh.headers[3]).toMatch(/^t=1767225600,v1=[0-9a-f]{64}$/);
  });

  it("leaves the webhook of a provider that does not sign as it is", () => {
    expect(resign(old, unsigning, SECRET, NOW)).toBe(old);
  });

  it("refuses a blank secret", () => {
    expect(() => resign(old, stripe, " ", NOW)).toThrow(expect.objectContaining({ code: "secret-blank" }));
  });
});
