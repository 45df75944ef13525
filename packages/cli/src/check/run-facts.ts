import type { Effects, Outcome } from "../history/history-store.ts";

/**
 * How the signature stood when the attempt was sent. `fits`: in date and over these bytes, or there is none · `stale`: its
 * timestamp is outside the provider's tolerance · `broken`: it does not cover the bytes that were sent. A handler that
 * refuses the last two is right to do so.
 */
export type SentSignature = "fits" | "stale" | "broken";

/** What is known of one attempt of a run. */
export interface AttemptFacts {
  readonly status: number | null;
  readonly outcome: Outcome;
  /** Null without a probe. */
  readonly effects: Effects | null;
  readonly signature: SentSignature;
}

/** What is known from the probe beside the attempts. */
export interface ProbeFacts {
  /** As shown, without credentials. */
  readonly name: string;
  /** Tables or sources that were watched. */
  readonly sources: readonly string[];
  /** Sources that changed by themselves before the first attempt. */
  readonly noise: readonly string[];
  /** False: something was still changing when the probe stopped waiting after an attempt. */
  readonly isSettled: boolean;
  /** Has a probe seen earlier effects of this delivery on this target, in sources watched now? */
  readonly hadEffects: boolean;
  /** For a replay: the same of the delivery that it was made from. */
  readonly originalHadEffects: boolean;
}

/** A run of attempts in sequence, each with the same key: all that a verdict may rest on. */
export interface RunFacts {
  /** `resend`: the same delivery again · `replay`: a new delivery with a fresh key. */
  readonly scenario: "resend" | "replay";
  readonly target: string;
  /** Provider id, for the flag that a hint names. */
  readonly provider: string | null;
  /** Did the handler get a key at all, the provider's or one in a header? */
  readonly hasKey: boolean;
  /** In the order in which they were sent. */
  readonly attempts: readonly AttemptFacts[];
  readonly probe: ProbeFacts | null;
}

const NOT_REACHED: ReadonlySet<Outcome> = new Set(["refused", "tls", "cancelled", "recorded"]);

export function isAcknowledged({ outcome }: AttemptFacts): boolean {
  return outcome === "acknowledged";
}

/** Could the handler have seen the attempt? A time-out counts: nobody can tell how far it came. */
export function hasReachedTarget({ outcome }: AttemptFacts): boolean {
  return !NOT_REACHED.has(outcome);
}

/** Refused, and the signature gave the handler every reason to. */
export function isExcused(attempt: AttemptFacts): boolean {
  return !isAcknowledged(attempt) && hasReachedTarget(attempt) && attempt.signature !== "fits";
}

/** Rows that the attempt changed; 0 where no probe looked. */
export function changedRows({ effects }: AttemptFacts): number {
  return effects?.total ?? 0;
}

/** Is there no attempt that the handler could have seen? */
export function isUnreachable(facts: RunFacts): boolean {
  return facts.attempts.length > 0 && !facts.attempts.some((attempt) => hasReachedTarget(attempt));
}
