import { describe, expect, it } from "vitest";
import { findKey } from "./find-key.ts";
import { getHeader } from "./header-list.ts";
import type { Webhook } from "./profile.ts";
import { stripe } from "./profiles/stripe.ts";
import type { Rekeyed, RekeyOptions } from "./re-key.ts";
import { rekey } from "./re-key.ts";
import { createStripeWebhook, createWebhook, NOW, SECRET, toText } from "./testing/webhook-factory.ts";
import { verifyWebhook } from "./verify.ts";

const OLD = "evt_1NG8Du2eZvKYlo2CUI79vXWy";
const body = `{\n  "id": "${OLD}",\n  "object": "event", "data": {"object": {"id": "${OLD}", "amount": 1.10}}\n}`;
const event = createStripeWebhook(body);

describe("a fresh key in a Stripe event", () => {
  it("replaces the one token in the body and nothing else there", () => {
    const fresh = mustRekey(event, { now: NOW });
    expect(fresh.oldKey).toBe(OLD);
    expect(fresh.key).toMatch(/^evt_[0-9A-Za-z]{24}$/);
    expect(fresh.key).not.toBe(OLD);
    expect(toText(fresh.webhook.body)).toBe(body.replace(OLD, fresh.key));
    expect(findKey(fresh.webhook)?.key).toBe(fresh.key);
  });

  it("is signed again when the secret is known", () => {
    const fresh = mustRekey(event, { secret: SECRET, now: NOW + 3_600_000 });
    expect(fresh).toMatchObject({ signature: "resigned", resignedHeaders: ["Stripe-Signature"] });
    expect(verifyWebhook(fresh.webhook, stripe, [SECRET], NOW + 3_600_000).state).toBe("valid");
    expect(fresh.webhook.headers.toSpliced(3, 1)).toEqual(event.headers.toSpliced(3, 1));
  });

  it.each([undefined, "", " "])("leaves a broken signature, and says so, when the secret is %j", (secret) => {
    const fresh = mustRekey(event, secret === undefined ? { now: NOW } : { now: NOW, secret });
    expect(fresh).toMatchObject({ signature: "broken", resignedHeaders: [] });
    expect(fresh.webhook.headers).toEqual(event.headers);
    expect(verifyWebhook(fresh.webhook, stripe, [SECRET], NOW).state).toBe("invalid");
  });

  it("gets no signature when there was none, even with the secret", () => {
    const fresh = mustRekey(createWebhook(body), { now: NOW, secret: SECRET });
    expect(fresh).toMatchObject({ signature: "none", resignedHeaders: [] });
    expect(fresh.webhook.headers).toEqual([]);
  });

  it("sets Content-Length right when a fixture's short id becomes a longer one", () => {
    const fresh = mustRekey(createStripeWebhook('{"id":"evt_1","object":"event"}'), { now: NOW });
    expect(fresh.key).toHaveLength("evt_".length + 12);
    expect(getHeader(fresh.webhook.headers, "content-length")).toBe(String(fresh.webhook.body.length));
  });

  it("follows into a key header that repeats the id, and leaves one with another value", () => {
    const headers = ["X-Idempotency-Key", OLD, "Idempotency-Key", "other", ...event.headers];
    const fresh = mustRekey({ ...event, headers }, { now: NOW });
    expect(fresh.webhook.headers.slice(0, 4)).toEqual([
      "X-Idempotency-Key",
      fresh.key,
      "Idempotency-Key",
      "other",
    ]);
  });

  it("leaves the webhook that it was given as it was", () => {
    mustRekey(event, { secret: SECRET, now: NOW });
    expect(event).toEqual(createStripeWebhook(body));
  });
});

describe("a fresh key in a header", () => {
  it.each([
    ['"old"', '"new"'],
    ["old", "new"],
    [' "old" ', '"new"'],
  ])("is written as the old one was: %j becomes %j", (oldValue, newValue) => {
    const webhook = createWebhook("same", ["A", "1", "idempotency-key", oldValue, "B", "2"]);
    const fresh = mustRekey(webhook, { now: NOW, newKey: "new" });
    expect(fresh).toMatchObject({ key: "new", oldKey: "old", signature: "none", resignedHeaders: [] });
    expect(fresh.webhook.headers).toEqual(["A", "1", "idempotency-key", newValue, "B", "2"]);
    expect(fresh.webhook.body).toBe(webhook.body);
  });

  it("is a UUID when none is given", () => {
    const fresh = mustRekey(createWebhook("", ["X-Idempotency-Key", "old"]), { now: NOW });
    expect(fresh.key).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it("leaves no second field with the old key behind", () => {
    const webhook = createWebhook("", [
      "Idempotency-Key",
      "old",
      "X-Idempotency-Key",
      '"old"',
      "idempotency-key",
      "old",
    ]);
    const fresh = mustRekey(webhook, { now: NOW, newKey: "new" });
    expect(fresh.webhook.headers).toEqual(["Idempotency-Key", "new", "X-Idempotency-Key", '"new"']);
  });

  it("does not break a signature that covers the body only", () => {
    const signed = createStripeWebhook("[]");
    const webhook = { ...signed, headers: [...signed.headers, "Idempotency-Key", "old"] };
    const fresh = mustRekey(webhook, { now: NOW });
    expect(fresh.signature).toBe("none");
    expect(verifyWebhook(fresh.webhook, stripe, [SECRET], NOW).state).toBe("valid");
  });
});

describe("a fresh key that can't be", () => {
  it("is undefined when the webhook brings no key", () => {
    expect(rekey(createWebhook('{"id":"order_1"}'), { now: NOW })).toBeUndefined();
    expect(rekey(createWebhook("\u0000not json", ["Stripe-Signature", "t=1"]), { now: NOW })).toBeUndefined();
  });

  it.each(["old", "", "a b", "a\r\nX-Admin: 1", 'a"b'])("refuses %j as the new key", (newKey) => {
    const webhook = createWebhook("", ["Idempotency-Key", "old"]);
    expect(() => rekey(webhook, { now: NOW, newKey })).toThrow(
      expect.objectContaining({ code: "key-invalid" }),
    );
  });
});

function mustRekey(webhook: Webhook, options: RekeyOptions): Rekeyed {
  const fresh = rekey(webhook, options);
  if (fresh === undefined) {
    throw new Error("the webhook should have brought a key");
  }
  return fresh;
}
