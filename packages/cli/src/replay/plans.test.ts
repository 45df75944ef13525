import { detectProvider, findKey, getHeader, verifyWebhook } from "@tenfold/providers";
import { describe, expect, it } from "vitest";
import type { OutgoingDelivery } from "../forward/attempt-delivery.ts";
import { planReplayAsNew } from "./replay-as-new.ts";
import { planResend } from "./resend.ts";
import {
  keylessDelivery,
  NO_SECRETS,
  SECRET,
  SECRETS,
  stripeDelivery,
  TARGET,
} from "./testing/stripe-delivery.ts";

const NOW = Date.UTC(2026, 0, 2, 12);
const MINUTES = 60_000;
const WITH_HEADER = { ...TARGET, idempotencyHeader: "X-Idempotency-Key" };

function webhookOf({ method, path, headers, body }: OutgoingDelivery) {
  return { method, url: path, headers, body: body instanceof Uint8Array ? body : new Uint8Array() };
}

function signatureAt(outgoing: OutgoingDelivery, now: number): string {
  const webhook = webhookOf(outgoing);
  return verifyWebhook(webhook, detectProvider(webhook), [SECRET], now).state;
}

describe("a resend", () => {
  it("sends the stored bytes and headers, with the same key, and says so", () => {
    const delivery = stripeDelivery(NOW - MINUTES);
    const plan = planResend({ delivery, target: TARGET, secrets: SECRETS, now: NOW });
    const { outgoing, signature } = plan.prepare(NOW);

    expect(plan.delivery).toBe(delivery);
    expect(plan).toMatchObject({ headline: "same key evt_1QabcdefGHIJKL", notes: [] });
    expect(outgoing).toMatchObject({
      id: delivery.id,
      key: delivery.key,
      headers: delivery.headers,
      changed: false,
    });
    expect(outgoing.body).toBe(delivery.body.bytes);
    expect(signature).toBe("fits");
  });

  it("signs again what is out of date by then, key, body and other headers kept", () => {
    const delivery = stripeDelivery(NOW - 6 * MINUTES);
    const plan = planResend({ delivery, target: TARGET, secrets: SECRETS, now: NOW });
    const { outgoing, signature } = plan.prepare(NOW);

    expect(signature).toBe("fits");
    expect(outgoing.changed).toBe(true);
    expect(outgoing.body).toBe(delivery.body.bytes);
    expect(outgoing.headers.slice(0, 3)).toEqual(delivery.headers.slice(0, 3));
    expect(outgoing.headers).toHaveLength(delivery.headers.length);
    expect(signatureAt(outgoing, NOW)).toBe("valid");
    expect(plan.notes[0]).toContain("signed again");
  });

  it("judges the age at each attempt, since a long run outlives a signature", () => {
    const plan = planResend({ delivery: stripeDelivery(NOW), target: TARGET, secrets: SECRETS, now: NOW });
    const later = NOW + 6 * MINUTES;

    expect(plan.prepare(NOW).outgoing.changed).toBe(false);
    expect(plan.prepare(later).outgoing.changed).toBe(true);
    expect(signatureAt(plan.prepare(later).outgoing, later)).toBe("valid");
  });

  it("sends a stale capture as it is when no secret is known, marked, and names the flag", () => {
    const delivery = stripeDelivery(NOW - 6 * MINUTES);
    const plan = planResend({ delivery, target: TARGET, secrets: NO_SECRETS, now: NOW });

    expect(plan.prepare(NOW)).toMatchObject({
      signature: "stale",
      outgoing: { headers: delivery.headers, changed: false },
    });
    expect(plan.notes[0]).toContain("--secret stripe=env:");
  });

  it("signs with the secret that the capture was signed with, whatever the order", () => {
    const secrets = new Map([["stripe", ["whsec_bmV3", SECRET]]]);
    const plan = planResend({
      delivery: stripeDelivery(NOW - 6 * MINUTES),
      target: TARGET,
      secrets,
      now: NOW,
    });
    expect(signatureAt(plan.prepare(NOW).outgoing, NOW)).toBe("valid");
  });

  it("refuses a body that was not stored whole", () => {
    const delivery = stripeDelivery(NOW, { body: { bytes: new Uint8Array(3), size: 9, truncated: true } });
    const request = { delivery, target: TARGET, secrets: SECRETS, now: NOW };
    expect(() => planResend(request)).toThrow(
      expect.objectContaining({ code: "body-truncated", exitCode: 2 }),
    );
    expect(() => planReplayAsNew(request)).toThrow(expect.objectContaining({ code: "body-truncated" }));
  });

  it("has a key only where the handler gets one", () => {
    const request = { delivery: keylessDelivery(), secrets: NO_SECRETS, now: NOW };
    expect(planResend({ ...request, target: TARGET })).toMatchObject({
      hasKey: false,
      headline: "no key in this delivery",
    });
    expect(planResend({ ...request, target: WITH_HEADER })).toMatchObject({
      hasKey: true,
      headline: "same key 0199b7e4-minted",
    });
  });
});

describe("a replay as new", () => {
  it("is a new delivery with a fresh key in the place of the old one, signed again, all else untouched", () => {
    const original = stripeDelivery(NOW - 6 * MINUTES);
    const plan = planReplayAsNew({ delivery: original, target: TARGET, secrets: SECRETS, now: NOW });
    const { delivery } = plan;
    const text = new TextDecoder().decode(delivery.body.bytes);

    expect(delivery).toMatchObject({
      replayOf: original.id,
      keySource: "provider",
      receivedAt: NOW,
      tunnel: null,
    });
    expect(delivery.id).not.toBe(original.id);
    expect(delivery.key).toMatch(/^evt_\w+$/);
    expect(delivery.key).not.toBe(original.key);
    expect(text.replace(delivery.key, original.key)).toBe(new TextDecoder().decode(original.body.bytes));
    expect(delivery.signature).toBe("valid");
    expect(plan.prepare(NOW)).toMatchObject({
      signature: "fits",
      outgoing: { id: delivery.id, changed: false },
    });
    expect(signatureAt(plan.prepare(NOW).outgoing, NOW)).toBe("valid");
    expect(plan).toMatchObject({ headline: `fresh key ${delivery.key} (was ${original.key})`, notes: [] });
  });

  it("says that the signature no longer fits when no secret is known, and marks every attempt", () => {
    const plan = planReplayAsNew({
      delivery: stripeDelivery(NOW),
      target: TARGET,
      secrets: NO_SECRETS,
      now: NOW,
    });
    expect(plan.delivery.signature).toBe("invalid");
    expect(plan.notes[0]).toContain("--secret stripe=env:");
    expect(plan.prepare(NOW).signature).toBe("broken");
  });

  it("that was made without the secret is signed again by a later resend that knows it", () => {
    const { delivery } = planReplayAsNew({
      delivery: stripeDelivery(NOW),
      target: TARGET,
      secrets: NO_SECRETS,
      now: NOW,
    });
    const without = planResend({ delivery, target: TARGET, secrets: NO_SECRETS, now: NOW });
    const withSecret = planResend({ delivery, target: TARGET, secrets: SECRETS, now: NOW });

    expect(without.prepare(NOW).signature).toBe("broken");
    expect(withSecret.prepare(NOW).signature).toBe("fits");
    expect(signatureAt(withSecret.prepare(NOW).outgoing, NOW)).toBe("valid");
  });

  it("replaces a key header, in its place and with its quotes", () => {
    const headers = ["Host", "a", "idempotency-key", '"abc-1"', "X-Last", "1"];
    const original = keylessDelivery({ headers, key: "abc-1", keySource: "header" });
    const target = { ...TARGET, idempotencyHeader: "Idempotency-Key" };
    const { delivery } = planReplayAsNew({ delivery: original, target, secrets: NO_SECRETS, now: NOW });

    expect(delivery.keySource).toBe("header");
    expect(delivery.headers).toEqual(["Host", "a", "idempotency-key", `"${delivery.key}"`, "X-Last", "1"]);
    expect(findKey(webhookOf({ ...delivery, key: "", changed: false, body: delivery.body.bytes }))?.key).toBe(
      delivery.key,
    );
  });

  it("mints a key for the target's key header, and replaces a header of that name from the sender", () => {
    const target = { ...TARGET, idempotencyHeader: "My-Key" };
    const original = keylessDelivery({ headers: ["my-key", "sender-1"] });
    const plan = planReplayAsNew({ delivery: original, target, secrets: NO_SECRETS, now: NOW });

    expect(plan.delivery.keySource).toBe("minted");
    expect(plan.delivery.headers).toEqual(["my-key", plan.delivery.key]);
    expect(plan.headline).toBe(`fresh key ${plan.delivery.key} (was sender-1)`);
  });

  it("leaves the header to the sending where the sender had none", () => {
    const plan = planReplayAsNew({
      delivery: keylessDelivery(),
      target: WITH_HEADER,
      secrets: NO_SECRETS,
      now: NOW,
    });
    expect(getHeader(plan.delivery.headers, "X-Idempotency-Key")).toBeUndefined();
    expect(plan.delivery.key).not.toBe("0199b7e4-minted");
  });

  it("is refused where there is no place for a key", () => {
    expect(() =>
      planReplayAsNew({ delivery: keylessDelivery(), target: TARGET, secrets: NO_SECRETS, now: NOW }),
    ).toThrow(expect.objectContaining({ code: "rekey-impossible", exitCode: 2 }));
  });
});
