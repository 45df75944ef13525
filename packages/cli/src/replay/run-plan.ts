import type { SentSignature } from "../check/run-facts.ts";
import type { OutgoingDelivery } from "../forward/attempt-delivery.ts";
import type { Target } from "../forward/target.ts";
import type { DeliveryRecord } from "../history/history-store.ts";

/** One attempt, ready to be sent. */
export interface PreparedAttempt {
  readonly outgoing: OutgoingDelivery;
  readonly signature: SentSignature;
}

/** What a run sends, decided before its first attempt. */
export interface RunPlan {
  /** `resend`: the same delivery, same key · `replay`: a new delivery, fresh key. */
  readonly kind: "resend" | "replay";
  /** The delivery that is sent; for a replay the new one, not yet recorded. */
  readonly delivery: DeliveryRecord;
  readonly target: Target;
  /** Does the handler get a key, the provider's or one in a header? */
  readonly hasKey: boolean;
  /** Which key, in words: `same key evt_…` or `fresh key evt_… (was evt_…)`. */
  readonly headline: string;
  /** For people, before anything is sent. */
  readonly notes: readonly string[];
  /** Called before each attempt, since a signature goes stale while a run lasts. `now`: ms since the epoch. */
  readonly prepare: (now: number) => PreparedAttempt;
}

/** What a plan is made from. */
export interface PlanRequest {
  readonly delivery: DeliveryRecord;
  readonly target: Target;
  /** Signing secrets by provider id; all that are valid just now. */
  readonly secrets: ReadonlyMap<string, readonly string[]>;
  /** ms since the epoch. */
  readonly now: number;
}
