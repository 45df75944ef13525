import type { ProbeFacts, RunFacts } from "../check/run-facts.ts";
import { judgeRun } from "../check/verdict.ts";
import type { Forwarder } from "../forward/forwarder.ts";
import type { AttemptRecord, HistoryStore, RunRecord } from "../history/history-store.ts";
import { newRunId } from "../history/ids.ts";
import type { Verdict } from "../output/renderer.ts";
import type { Probe } from "../probes/probe.ts";
import { hadEffectsIn } from "./earlier-effects.ts";
import { watchProbe } from "./probe-watch.ts";
import type { ProbeWatch, RunClock } from "./probe-watch.ts";
import type { RunPlan } from "./run-plan.ts";
import { runAttempts } from "./runs.ts";

export interface ReplayOptions {
  /** 1 or more. */
  readonly times: number;
  /** How long to watch after the last attempt, in ms. */
  readonly settleMs: number;
  readonly signal: AbortSignal;
}

export interface ReplayDeps {
  readonly forwarder: Forwarder;
  readonly history: Pick<
    HistoryStore,
    "recordDelivery" | "recordAttempt" | "recordRun" | "hadEffects" | "attempts"
  >;
  /** Null: nothing looks at what the handler writes. */
  readonly probe: Probe | null;
  readonly clock: RunClock;
  /** Called when all is ready, before the first attempt. */
  readonly onStart: () => void;
  /** Called after each attempt is recorded. */
  readonly onAttempt: (attempt: AttemptRecord) => void;
}

export interface ReplayedRun {
  readonly facts: RunFacts;
  /** Null: the run was interrupted. */
  readonly verdict: Verdict | null;
  /** Why the last attempt was not acknowledged. */
  readonly lastCause: string | null;
}

/**
 * Carries out a plan: baseline of the probe, the new delivery where there is one, the attempts, the verdict. All of it is
 * recorded; an interrupted run stays in the history without a verdict.
 *
 * @throws CliError `probe-failed`, and what the history throws
 */
export async function replayDelivery(
  plan: RunPlan,
  options: ReplayOptions,
  deps: ReplayDeps,
): Promise<ReplayedRun> {
  const { clock, history } = deps;
  const watch = deps.probe === null ? null : await watchProbe(deps.probe, clock, options.signal);
  const known = knownEffects(plan, watch, history);
  const startedAt = clock.now();
  const run: RunRecord = {
    id: newRunId(startedAt),
    deliveryId: plan.delivery.id,
    kind: plan.kind,
    startedAt,
    verdict: null,
  };
  if (plan.kind === "replay") {
    history.recordDelivery(plan.delivery);
  }
  history.recordRun(run);
  deps.onStart();
  let lastCause: string | null = null;
  const attempts = await runAttempts(
    plan,
    { ...options, runId: run.id, hadEffects: known.hadEffects },
    {
      ...deps,
      watch,
      onAttempt(attempt) {
        lastCause = attempt.cause;
        deps.onAttempt(attempt);
      },
    },
  );
  const facts = toFacts(plan, attempts, watch === null ? null : { ...toProbeFacts(watch), ...known });
  const verdict = options.signal.aborted ? null : judgeRun(facts);
  if (verdict !== null) {
    history.recordRun({ ...run, verdict: JSON.stringify(verdict) });
  }
  return { facts, verdict, lastCause };
}

type KnownEffects = Pick<ProbeFacts, "hadEffects" | "originalHadEffects">;

function knownEffects(
  { delivery, target }: RunPlan,
  watch: ProbeWatch | null,
  history: ReplayDeps["history"],
): KnownEffects {
  const sources = watch?.sources() ?? [];
  const { replayOf } = delivery;
  return {
    hadEffects: hadEffectsIn(history, delivery.id, target.url, sources),
    originalHadEffects: replayOf !== null && hadEffectsIn(history, replayOf, target.url, sources),
  };
}

function toProbeFacts(watch: ProbeWatch): Omit<ProbeFacts, keyof KnownEffects> {
  return { name: watch.name, sources: watch.sources(), noise: watch.noise, isSettled: watch.isSettled() };
}

function toFacts(plan: RunPlan, attempts: RunFacts["attempts"], probe: ProbeFacts | null): RunFacts {
  return {
    scenario: plan.kind,
    target: plan.target.url,
    provider: plan.delivery.provider,
    hasKey: plan.hasKey,
    attempts,
    probe,
  };
}
