import type { AttemptFacts } from "../check/run-facts.ts";
import { hasReachedTarget } from "../check/run-facts.ts";
import { attemptDelivery } from "../forward/attempt-delivery.ts";
import type { Forwarder } from "../forward/forwarder.ts";
import type { AttemptRecord, HistoryStore } from "../history/history-store.ts";
import type { ProbeWatch, RunClock, SettleTimes } from "./probe-watch.ts";
import type { RunPlan } from "./run-plan.ts";

/**
 * After the first attempt: the longest wait, since what a worker writes later would look like the effect of a duplicate. A handler
 * that is known to have processed the delivery has nothing to write, so only the rest is waited for.
 */
const firstTimes = (settleMs: number): SettleTimes => ({
  quietMs: settleMs / 2,
  firstChangeMs: settleMs / 2,
});
const FIRST_OF_KNOWN: SettleTimes = { quietMs: 500, firstChangeMs: 500 };
/** Nothing was sent, so nothing is waited for. */
const UNSENT: SettleTimes = { quietMs: 0, firstChangeMs: 0 };
/** Between duplicates: whatever comes later still counts, only for the next one. */
const BETWEEN: SettleTimes = { quietMs: 100, firstChangeMs: 100 };
/**
 * After the last attempt: a late write of any duplicate must still be seen, so this is longer than the wait after the first one.
 * Otherwise a handler that writes in between would show its first write and none of the others.
 */
const lastTimes = (settleMs: number): SettleTimes => ({ quietMs: settleMs, firstChangeMs: settleMs });

export interface RunOptions {
  readonly runId: string;
  /** 1 or more. */
  readonly times: number;
  /** How long to watch after the last attempt, in ms; half of it after the first one. */
  readonly settleMs: number;
  /** Did a probe see earlier effects of this delivery? */
  readonly hadEffects: boolean;
  readonly signal: AbortSignal;
}

export interface RunDeps {
  readonly forwarder: Forwarder;
  readonly history: Pick<HistoryStore, "recordAttempt">;
  readonly clock: RunClock;
  readonly watch: ProbeWatch | null;
  /** Called after each attempt is recorded. */
  readonly onAttempt: (attempt: AttemptRecord) => void;
}

/**
 * Sends the planned delivery so many times, one after the other, and measures what each attempt changed. Ends early when the
 * signal comes, which also cancels the attempt under way, and when the first attempt finds nobody there.
 *
 * @throws CliError `probe-failed`; the attempt that it followed is recorded first
 */
export async function runAttempts(
  plan: RunPlan,
  options: RunOptions,
  deps: RunDeps,
): Promise<readonly AttemptFacts[]> {
  const facts: AttemptFacts[] = [];
  while (facts.length < options.times && !options.signal.aborted) {
    const fact = await runAttempt(plan, facts.length, options, deps);
    facts.push(fact);
    if (facts.length === 1 && !hasReachedTarget(fact)) {
      break;
    }
  }
  return facts;
}

async function runAttempt(
  plan: RunPlan,
  index: number,
  options: RunOptions,
  deps: RunDeps,
): Promise<AttemptFacts> {
  const { history, clock, watch } = deps;
  const { outgoing, signature } = plan.prepare(clock.now());
  const forwarder = observed(deps.forwarder);
  const times = () => (forwarder.wasRefused() ? UNSENT : settleTimes(index, options));
  const attempt = await attemptDelivery(
    outgoing,
    plan.target,
    {
      trigger: plan.kind,
      runId: options.runId,
      signal: options.signal,
      ...(watch === null ? {} : { measureEffects: () => watch.measure(times()) }),
    },
    { forwarder, history, now: clock.now },
  );
  deps.onAttempt(attempt);
  return { status: attempt.status, outcome: attempt.outcome, effects: attempt.effects, signature };
}

/** Remembers whether the target was there, which decides how long its effects are waited for. */
function observed(forwarder: Forwarder): Forwarder & { wasRefused(): boolean } {
  let refused = false;
  return {
    async forward(target, request, sink) {
      const result = await forwarder.forward(target, request, sink);
      refused = result.outcome === "refused";
      return result;
    },
    close: () => forwarder.close(),
    wasRefused: () => refused,
  };
}

function settleTimes(index: number, { times, hadEffects, settleMs }: RunOptions): SettleTimes {
  if (index === times - 1) {
    return lastTimes(settleMs);
  }
  if (index > 0) {
    return BETWEEN;
  }
  return hadEffects ? FIRST_OF_KNOWN : firstTimes(settleMs);
}
