import { findKey, getHeader, rekey, setHeader, verifyWebhook } from "@tenfold/providers";
import type { Rekeyed, Webhook } from "@tenfold/providers";
import { CliError } from "../errors.ts";
import { mintKey, newDeliveryId } from "../history/ids.ts";
import type { DeliveryRecord, StoredKeySource } from "../history/history-store.ts";
import { prepareAttempt, profileOf, signingSecret, toWebhook } from "./prepare-attempt.ts";
import { assertWhole, sentKey } from "./resend.ts";
import type { PlanRequest, RunPlan } from "./run-plan.ts";

/** The webhook with its fresh key. */
interface Fresh {
  readonly webhook: Webhook;
  readonly key: string;
  readonly keySource: StoredKeySource;
  readonly signature: Rekeyed["signature"];
}

/**
 * Plans a replay as new: a new delivery made from a recorded one, with a fresh key wherever the old one stood.
 *
 * @throws CliError `rekey-impossible` when there is no place for a key: the old bytes are never sent as new
 * @throws CliError `body-truncated`
 */
export function planReplayAsNew(request: PlanRequest): RunPlan {
  const { delivery: original, target, secrets, now } = request;
  assertWhole(original);
  const secret = signingSecret(original, secrets, now);
  const fresh = freshKey(request, secret);
  const delivery = toNewDelivery(fresh, request);
  const isBroken = fresh.signature === "broken";
  const oldKey = sentKey(original, target);
  const was = oldKey === null ? "" : ` (was ${oldKey})`;
  return {
    kind: "replay",
    delivery,
    target,
    hasKey: true,
    headline: `fresh key ${fresh.key}${was}`,
    notes: isBroken ? [brokenNote(original)] : [],
    prepare: (time) => prepareAttempt(delivery, { secret, isBroken }, time),
  };
}

function freshKey({ delivery, target, now }: PlanRequest, secret: string | undefined): Fresh {
  const webhook = toWebhook(delivery);
  const name = target.idempotencyHeader;
  const rekeyed = rekey(webhook, { now, ...(secret === undefined ? {} : { secret }) });
  if (rekeyed !== undefined) {
    const { key, signature } = rekeyed;
    const keySource = findKey(webhook)?.source ?? "header";
    return { webhook: withFreshHeader(rekeyed.webhook, webhook, name, key), key, keySource, signature };
  }
  if (name === null) {
    throw rekeyImpossible(delivery);
  }
  const key = mintKey(now);
  return {
    webhook: withFreshHeader(webhook, webhook, name, key),
    key,
    keySource: "minted",
    signature: "none",
  };
}

/** A header of that name from the sender is kept when the attempt is sent, so the old key in it has to go here. */
function withFreshHeader(webhook: Webhook, original: Webhook, name: string | null, key: string): Webhook {
  const old = name === null ? undefined : getHeader(original.headers, name);
  return name === null || old === undefined || getHeader(webhook.headers, name) !== old
    ? webhook
    : { ...webhook, headers: setHeader(webhook.headers, name, key) };
}

function rekeyImpossible({ id }: DeliveryRecord): CliError {
  return new CliError(
    "rekey-impossible",
    `Delivery ${id} can't be replayed as new: it has no key that could be replaced, neither an event id nor a key header.`,
    {
      hint:
        "Start its tunnel with --idempotency-header, so that deliveries get a key; " +
        "or resend it as it is, with `tunnel resend`.",
    },
  );
}

function toNewDelivery(
  { webhook, key, keySource, signature }: Fresh,
  { delivery, target, secrets, now }: PlanRequest,
): DeliveryRecord {
  const profile = profileOf(delivery);
  const known = (profile === undefined ? undefined : secrets.get(profile.id)) ?? [];
  return {
    ...delivery,
    id: newDeliveryId(now),
    receivedAt: now,
    replayOf: delivery.id,
    headers: webhook.headers,
    key,
    keySource,
    signature: signature === "broken" ? "invalid" : verifyWebhook(webhook, profile, known, now).state,
    target: target.url,
    idempotencyHeader: target.idempotencyHeader,
    tunnel: null,
    body: { bytes: webhook.body, size: webhook.body.length, truncated: false },
  };
}

function brokenNote(delivery: DeliveryRecord): string {
  const profile = profileOf(delivery);
  return (
    `the signature no longer fits: it covers the key, and no secret of ${profile?.name ?? "the sender"} is known. ` +
    `To sign it again add --secret ${profile?.id ?? "PROVIDER"}=env:NAME_OF_A_VARIABLE`
  );
}
