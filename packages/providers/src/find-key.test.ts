import { describe, expect, it } from "vitest";
import { findKey } from "./find-key.ts";
import { createStripeWebhook, createWebhook } from "./testing/webhook-factory.ts";

describe("finding the key", () => {
  it("takes the provider's own id before any key header", () => {
    const webhook = createStripeWebhook('{"id":"evt_1","object":"event"}');
    const headers = ["Idempotency-Key", "other", ...webhook.headers];
    expect(findKey({ ...webhook, headers })).toEqual({
      key: "evt_1",
      source: "provider",
      location: { in: "body", path: ["id"] },
      provider: "stripe",
    });
  });

  it("takes Idempotency-Key before X-Idempotency-Key, whatever their order", () => {
    const webhook = createWebhook("", ["x-idempotency-key", "second", "idempotency-key", "first"]);
    expect(findKey(webhook)).toEqual({
      key: "first",
      source: "header",
      location: { in: "header", name: "Idempotency-Key" },
      provider: null,
    });
  });

  it.each([
    ['"8e03978e-40d5"', "8e03978e-40d5"],
    ["8e03978e-40d5", "8e03978e-40d5"],
    ['  "a b"\t', "a b"],
    ['"half', '"half'],
    ["caf\u00c3\u00a0", "caf\u00c3\u00a0"],
  ])("reads the header value %j as %j: quotes don't count", (value, key) => {
    expect(findKey(createWebhook("", ["Idempotency-Key", value]))?.key).toBe(key);
  });

  it("takes the first of several fields of one name", () => {
    expect(findKey(createWebhook("", ["Idempotency-Key", "a", "Idempotency-Key", "b"]))?.key).toBe("a");
  });

  it.each(["", '""', " \t"])("does not take the empty value %j for a key, and looks further", (empty) => {
    expect(findKey(createWebhook("", ["Idempotency-Key", empty]))).toBeUndefined();
    expect(findKey(createWebhook("", ["Idempotency-Key", empty, "X-Idempotency-Key", "b"]))?.key).toBe("b");
  });

  it("falls back to the key header when the provider's body brings no id, and still names the provider", () => {
    const webhook = createWebhook("{}", ["Stripe-Signature", "t=1,v1=00", "X-Idempotency-Key", "k"]);
    expect(findKey(webhook)).toMatchObject({ key: "k", source: "header", provider: "stripe" });
  });

  it.each(["7", '""', '"a\\r\\nX-Admin: 1"', '{"id":"evt_1"}', `"${"a".repeat(256)}"`])(
    "does not take the id %s for a key",
    (id) => {
      expect(findKey(createStripeWebhook(`{"object":"event","id":${id}}`))).toBeUndefined();
    },
  );

  it("never makes a key of the body alone", () => {
    expect(findKey(createWebhook('{"id":"order_1"}'))).toBeUndefined();
  });
});
