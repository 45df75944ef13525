import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detectProvider, providerById, providers } from "./detect.ts";
import { findKey } from "./find-key.ts";
import type { Webhook } from "./profile.ts";
import { rekey } from "./re-key.ts";
import { isStale } from "./sign.ts";
import { createWebhook, NOW, SECRET } from "./testing/webhook-factory.ts";
import { writtenJson } from "./testing/written-json.ts";
import { verifyWebhook } from "./verify.ts";

describe("the list of providers", () => {
  it("gives a provider by its id", () => {
    expect(providerById("stripe")?.name).toBe("Stripe");
    expect(providerById("nobody")).toBeUndefined();
  });

  it("has each id once", () => {
    expect(new Set(providers.map(({ id }) => id)).size).toBe(providers.length);
  });
});

describe("detecting Stripe", () => {
  it.each([
    ["the signature header in any spelling", createWebhook("not json", ["STRIPE-signature", "t=1"])],
    ["a snapshot event", createWebhook('{"object":"event","id":"evt_1"}')],
    ["a thin event", createWebhook('{"id":"evt_test_65R9","object":"v2.core.event"}')],
  ])("knows it by %s", (_, webhook) => {
    expect(detectProvider(webhook)?.id).toBe("stripe");
  });

  it.each([
    ["an event of another id", '{"object":"event","id":"ev_1","note":"evt_"}'],
    ["an event without id", '{"object":"event","note":"evt_1"}'],
    ["another object", '{"object":"invoice","id":"evt_1"}'],
    ["an event further down", '{"data":{"object":"event","id":"evt_1"}}'],
    ["an event in a list", '[{"object":"event","id":"evt_1"}]'],
    ["broken JSON", '{"object":"event","id":"evt_1"'],
    ["an empty body", ""],
  ])("does not take %s for Stripe's", (_, body) => {
    expect(detectProvider(createWebhook(body))).toBeUndefined();
  });
});

describe("whatever comes in", () => {
  const name = fc.constantFrom(
    "Stripe-Signature",
    "Idempotency-Key",
    "X-Idempotency-Key",
    "Content-Length",
    "A",
  );
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(...'t=v10," '.split("")) }),
  );
  const headers = fc.array(fc.oneof(name, value), { maxLength: 9 });
  const body = fc.oneof(
    fc.uint8Array(),
    writtenJson.map((text) => createWebhook(text.replace('"id"', '"object":"event","id"')).body),
  );
  const webhooks: fc.Arbitrary<Webhook> = fc
    .tuple(headers, body)
    .map(([list, bytes]) => createWebhook(bytes, list));

  it("no function of this package throws, even for a header list that is cut short", () => {
    fc.assert(
      fc.property(webhooks, (webhook) => {
        const profile = detectProvider(webhook);
        const found = findKey(webhook, profile);
        const fresh = rekey(webhook, { now: NOW, secret: SECRET });
        isStale(webhook, profile, NOW);
        profile?.eventType(webhook);
        expect(verifyWebhook(webhook, profile, [SECRET], NOW).state).not.toBe("valid");
        expect(fresh?.oldKey).toBe(found?.key);
        expect(fresh === undefined || fresh.key !== fresh.oldKey).toBe(true);
        expect(fresh && findKey(fresh.webhook)?.key).toBe(fresh?.key);
      }),
      { numRuns: 500 },
    );
  });
});
