import type { Effects, Outcome } from "../../history/history-store.ts";
import type { AttemptFacts, ProbeFacts, RunFacts } from "../run-facts.ts";

/** So many rows inserted, by table. */
export function inserted(rows: Readonly<Record<string, number>>): Effects {
  const changes = Object.entries(rows)
    .filter(([, count]) => count > 0)
    .map(([source, count]) => ({ source, inserted: count, updated: 0, deleted: 0 }));
  return { total: changes.reduce((sum, change) => sum + change.inserted, 0), changes };
}

export const NO_EFFECTS: Effects = { total: 0, changes: [] };

/** So many rows updated in one table. */
export function updated(source: string, count: number): Effects {
  return { total: count, changes: [{ source, inserted: 0, updated: count, deleted: 0 }] };
}

/** An attempt that was answered: acknowledged when the status is a 2xx. */
export function answered(
  status: number,
  effects: Effects | null = NO_EFFECTS,
  signature: AttemptFacts["signature"] = "fits",
): AttemptFacts {
  const outcome = status >= 200 && status < 300 ? "acknowledged" : "rejected";
  return { status, outcome, effects, signature };
}

/** An attempt without a whole answer. */
export function unanswered(outcome: Outcome, effects: Effects | null = NO_EFFECTS): AttemptFacts {
  return { status: null, outcome, effects, signature: "fits" };
}

export function times(count: number, attempt: AttemptFacts): AttemptFacts[] {
  return Array.from({ length: count }, () => attempt);
}

/** A resend of a Stripe delivery under a quiet probe that watches the table `charges`. */
export function run(
  attempts: readonly AttemptFacts[],
  {
    probe,
    ...facts
  }: Partial<Omit<RunFacts, "probe">> & { readonly probe?: Partial<ProbeFacts> | null } = {},
): RunFacts {
  return {
    scenario: "resend",
    target: "http://localhost:3000",
    provider: "stripe",
    hasKey: true,
    attempts,
    probe: probe === null ? null : { ...QUIET_PROBE, ...probe },
    ...facts,
  };
}

const QUIET_PROBE: ProbeFacts = {
  name: "sqlite:app.db",
  sources: ["charges"],
  noise: [],
  isSettled: true,
  hadEffects: false,
  originalHadEffects: false,
};
