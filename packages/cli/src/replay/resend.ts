import { getHeader, isStale } from "@tenfold/providers";
import { CliError } from "../errors.ts";
import type { Target } from "../forward/target.ts";
import type { DeliveryRecord } from "../history/history-store.ts";
import { prepareAttempt, profileOf, signingSecret, toWebhook } from "./prepare-attempt.ts";
import type { PrepareOptions } from "./prepare-attempt.ts";
import type { PlanRequest, RunPlan } from "./run-plan.ts";

/**
 * Plans a resend: the same delivery, the same key, the stored bytes.
 *
 * @throws CliError `body-truncated`
 */
export function planResend({ delivery, target, secrets, now }: PlanRequest): RunPlan {
  assertWhole(delivery);
  const secret = signingSecret(delivery, secrets, now);
  const key = sentKey(delivery, target);
  const isBroken = hasBrokenSignature(delivery);
  return {
    kind: "resend",
    delivery,
    target,
    hasKey: key !== null,
    headline: key === null ? "no key in this delivery" : `same key ${key}`,
    notes: signatureNotes(delivery, { secret, isBroken }, now),
    prepare: (time) => prepareAttempt(delivery, { secret, isBroken }, time),
  };
}

/** Bytes that were not kept can't be sent again. @throws CliError `body-truncated` */
export function assertWhole({ id, body }: DeliveryRecord): void {
  if (body.truncated) {
    throw new CliError(
      "body-truncated",
      `Delivery ${id} can't be sent again: only ${body.bytes.length} bytes of its body of ${body.size} were kept.`,
      {
        hint: "Bodies over the capture limit are forwarded, but not stored whole. Choose another with `tunnel list`.",
      },
    );
  }
}

/** The key that the handler gets; null: it gets none. */
export function sentKey(delivery: DeliveryRecord, target: Target): string | null {
  const inHeader =
    target.idempotencyHeader === null ? undefined : getHeader(delivery.headers, target.idempotencyHeader);
  if (delivery.keySource !== "minted") {
    return delivery.key;
  }
  return target.idempotencyHeader === null ? null : (inHeader ?? delivery.key);
}

/** A replay as new that was made without the secret. What a sender signed wrongly is sent as it came. */
function hasBrokenSignature({ replayOf, signature }: DeliveryRecord): boolean {
  return replayOf !== null && signature === "invalid";
}

function signatureNotes(
  delivery: DeliveryRecord,
  { secret, isBroken }: PrepareOptions,
  now: number,
): readonly string[] {
  const profile = profileOf(delivery);
  if (profile === undefined || !(isBroken || isStale(toWebhook(delivery), profile, now))) {
    return [];
  }
  const what = isBroken
    ? "the signature does not fit"
    : `the signature is older than ${profile.name} accepts`;
  return secret === undefined
    ? [`${what}, and no secret is known to make it anew: add --secret ${profile.id}=env:NAME_OF_A_VARIABLE`]
    : [`${what}: each attempt is signed again`];
}
