import { describe, expect, it } from "vitest";
import type { ProviderProfile } from "./profile.ts";
import { stripe } from "./profiles/stripe.ts";
import { createStripeWebhook, createWebhook, NOW, SECRET } from "./testing/webhook-factory.ts";
import { verifyWebhook } from "./verify.ts";

const body = '{"id":"evt_1","object":"event"}';
const signed = createStripeWebhook(body);

describe("the state of a signature", () => {
  it("is valid when any of the known secrets fits", () => {
    expect(verifyWebhook(signed, stripe, ["whsec_old", SECRET], NOW).state).toBe("valid");
  });

  it("is invalid when none fits", () => {
    expect(verifyWebhook(signed, stripe, ["whsec_old"], NOW).state).toBe("invalid");
  });

  it("is unknown when no secret is known", () => {
    expect(verifyWebhook(signed, stripe, [], NOW).state).toBe("unknown");
  });

  it("is missing when there is no signature, secret or not", () => {
    expect(verifyWebhook(createWebhook(body), stripe, [SECRET], NOW).state).toBe("missing");
    expect(verifyWebhook(createWebhook(body), stripe, [], NOW).state).toBe("missing");
  });

  it("is none without a provider, or for one that does not sign", () => {
    const unsigning: ProviderProfile = { ...stripe, name: "Plain", signature: null };
    expect(verifyWebhook(signed, undefined, [SECRET], NOW)).toEqual({
      state: "none",
      reason: "no known provider",
    });
    expect(verifyWebhook(signed, unsigning, [SECRET], NOW)).toEqual({
      state: "none",
      reason: "Plain does not sign",
    });
  });

  it.each(["", "  ", "\n"])("does not count the blank secret %j, with which anyone could sign", (blank) => {
    const forged = createStripeWebhook(body, NOW, blank);
    expect(verifyWebhook(forged, stripe, [blank], NOW).state).toBe("unknown");
    expect(verifyWebhook(forged, stripe, [blank, SECRET], NOW).state).toBe("invalid");
    expect(stripe.signature?.verify(forged, [blank], NOW).status).toBe("invalid");
  });

  it("never tells a secret in its reason", () => {
    for (const webhook of [signed, createWebhook(body), createStripeWebhook(body, 0)]) {
      expect(verifyWebhook(webhook, stripe, [SECRET], NOW).reason).not.toContain("whsec");
    }
  });
});
