import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Webhook } from "../profile.ts";
import { resign } from "../sign.ts";
import { createStripeWebhook, createWebhook, NOW, SECRET } from "../testing/webhook-factory.ts";
import { verifyWebhook } from "../verify.ts";
import { stripe } from "./stripe.ts";

interface Vector {
  readonly id: string;
  readonly case: string;
  readonly why: string;
  /** Seconds since the epoch. */
  readonly now: number;
  readonly expected: "valid" | "invalid";
  readonly secret: string;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly bodyBase64: string;
}

const vectors = JSON.parse(
  readFileSync(new URL("../../test-vectors/stripe.json", import.meta.url), "utf8"),
) as readonly Vector[];

/** What the library calls invalid, in the finer words of this package. */
const INVALID_STATES: Readonly<Record<string, string>> = {
  expired: "expired",
  "missing-signature": "missing",
};

describe("the signature, against what the official library said", () => {
  it("has all 34 vectors", () => {
    expect(vectors).toHaveLength(34);
  });

  it.each(vectors)("$id ($case) is $expected: $why", (vector) => {
    const expected = vector.expected === "valid" ? "valid" : (INVALID_STATES[vector.case] ?? "invalid");
    expect(verifyWebhook(toWebhook(vector), stripe, [vector.secret], vector.now * 1000).state).toBe(expected);
  });

  it.each(vectors)("$id ($case) is valid after signing again", (vector) => {
    const now = vector.now * 1000;
    const signed = resign(toWebhook(vector), stripe, vector.secret, now);
    expect(verifyWebhook(signed, stripe, [vector.secret], now).state).toBe("valid");
  });

  it("is made as the library made it: the same bytes for the same time", () => {
    const vector = vectors.find((candidate) => candidate.case === "valid");
    const webhook = vector && toWebhook(vector);
    expect(webhook && resign(webhook, stripe, vector.secret, 1_767_225_597_999)).toEqual(webhook);
  });
});

describe("the signature header", () => {
  const body = '{"id":"evt_1","object":"event"}';
  const good = createStripeWebhook(body).headers[3] ?? "";
  const [, v1 = ""] = good.split(",");

  it.each([
    ["a value in upper case", `t=1767225600,${v1.toUpperCase().replace("V1", "v1")}`],
    ["white space before v1", `t=1767225600, ${v1}`],
    ["a timestamp that is no number", `t=now,${v1}`],
    ["a timestamp beyond all time", `t=${"9".repeat(400)},${v1}`],
    ["a later timestamp that does not fit", `${good},t=1767225601`],
    ["nothing but separators", ",=,,="],
  ])("is invalid with %s", (_, header) => {
    expect(
      verifyWebhook(createWebhook(body, ["Stripe-Signature", header]), stripe, [SECRET], NOW).state,
    ).toBe("invalid");
  });

  it("tells no time when its timestamp is not whole seconds", () => {
    const times = ["1767225600", "now", "-1", "1e9", "9".repeat(400)].map((timestamp) =>
      stripe.signature?.signedAt(createWebhook(body, ["Stripe-Signature", `t=${timestamp},${v1}`])),
    );
    expect(times).toEqual([NOW, undefined, undefined, undefined, undefined]);
  });

  it("is missing when it is empty", () => {
    expect(verifyWebhook(createWebhook(body, ["Stripe-Signature", ""]), stripe, [SECRET], NOW).state).toBe(
      "missing",
    );
  });

  it("is read across two fields as Node joins them for the handler", () => {
    const headers = ["Stripe-Signature", good, "Stripe-Signature", "v1=00"];
    expect(verifyWebhook(createWebhook(body, headers), stripe, [SECRET], NOW).state).toBe("valid");
  });

  it("is appended where there was none, with no other scheme than v1", () => {
    expect(resign(createWebhook(body, ["A", "1"]), stripe, SECRET, NOW).headers).toEqual([
      "A",
      "1",
      "Stripe-Signature",
      `t=1767225600,${v1}`,
    ]);
  });
});

describe("the facts about Stripe", () => {
  it("counts 2xx as taken and nothing else", () => {
    expect(
      [199, 200, 204, 299, 300, 302, 400, 409, 500].filter((status) => stripe.acknowledges(status)),
    ).toEqual([200, 204, 299]);
  });

  it("reads the event type", () => {
    expect(stripe.eventType(createWebhook('{"type":"invoice.paid"}'))).toBe("invoice.paid");
    expect(stripe.eventType(createWebhook('{"type":7}'))).toBeUndefined();
    expect(stripe.eventType(createWebhook("not json"))).toBeUndefined();
    expect(stripe.eventType(createWebhook(`{"type":"${"x".repeat(256)}"}`))).toBeUndefined();
  });

  it("gives no time-out and no intervals, as Stripe publishes none", () => {
    const { documented, reported } = stripe.retryPolicies;
    expect(stripe.timeoutMs.value).toBeNull();
    expect(documented.value).toMatchObject({ delaysSeconds: null, totalSeconds: 259_200 });
    expect(reported).toMatchObject({ confidence: "U", value: { attempts: 16, delaysSeconds: null } });
  });
});

function toWebhook(vector: Vector): Webhook {
  const { method, url, headers, bodyBase64 } = vector;
  return { method, url, headers: headers.flat(), body: Buffer.from(bodyBase64, "base64") };
}
