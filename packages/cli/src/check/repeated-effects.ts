import type { Effects } from "../history/history-store.ts";
import type { CauseCode } from "./causes.ts";
import { changedRows, hasReachedTarget, isExcused } from "./run-facts.ts";
import type { AttemptFacts } from "./run-facts.ts";

const KINDS = ["inserted", "updated", "deleted"] as const;

/**
 * Which causes the effects of more than one attempt point to, the likeliest first; none when they don't prove that the
 * handler did the same work twice.
 *
 * Proof is a change of the same kind in the same source after two attempts. Without one, what came later may be the rest of
 * the first attempt's work, done by a worker after the answer, and a good handler must not be blamed for that.
 */
export function causesOfRepeatedEffects(all: readonly AttemptFacts[]): readonly CauseCode[] {
  const attempts = all.filter((attempt) => hasReachedTarget(attempt) && !isExcused(attempt));
  const effective = attempts.flatMap((attempt, at) => (isEffective(attempt) ? [at] : []));
  const changes = effective.map((at) => changesOf(attempts[at]?.effects ?? null));
  if (!sharesChange(changes)) {
    return [];
  }
  if (effective.length === attempts.length) {
    return isPartOfFirst(changes) ? ["duplicate-changes-rows", "no-key-check"] : ["no-key-check"];
  }
  const isFirstFew = effective.every((at, index) => at === index);
  return isFirstFew ? ["key-stored-late", "key-forgotten"] : ["key-forgotten", "key-stored-late"];
}

/** Effects that may be laid at the attempt's door: one that was never sent, or rightly refused, proves nothing. */
export function isEffective(attempt: AttemptFacts): boolean {
  return changedRows(attempt) > 0 && hasReachedTarget(attempt) && !isExcused(attempt);
}

function changesOf(effects: Effects | null): ReadonlySet<string> {
  const changes = effects?.changes ?? [];
  return new Set(
    changes.flatMap((change) =>
      KINDS.filter((kind) => change[kind] > 0).map((kind) => JSON.stringify([change.source, kind])),
    ),
  );
}

function sharesChange(changes: readonly ReadonlySet<string>[]): boolean {
  const all = changes.flatMap((set) => [...set]);
  return new Set(all).size < all.length;
}

/** Does every duplicate change only a part of what the first attempt changed, so that the work itself was done once? */
function isPartOfFirst([first, ...rest]: readonly ReadonlySet<string>[]): boolean {
  return rest.every(
    (set) => set.size < (first?.size ?? 0) && [...set].every((change) => first?.has(change) === true),
  );
}
