import type { Effects } from "../history/history-store.ts";
import type { Probe, ProbeSnapshot } from "../probes/probe.ts";

/** Time between the two looks of the quiet baseline, in ms: a table that somebody else writes to shows within it. */
const BASELINE_MS = 300;
/** Time between two looks while changes are waited for, in ms: short beside any wait below. */
const POLL_MS = 25;
/** Longest wait for an end of changes, as a multiple of the rest that is waited for; a database that never rests would hold up the run. */
const MAX_SETTLE_FACTOR = 4;
/** The same at the least, in ms. */
const MIN_MAX_SETTLE_MS = 5_000;

/** How long to wait after an attempt for a handler that writes after it has answered; all in ms. */
export interface SettleTimes {
  /** Rest after the last change that is seen. */
  readonly quietMs: number;
  /** Wait for a first change. */
  readonly firstChangeMs: number;
}

export interface RunClock {
  /** ms since the epoch. */
  readonly now: () => number;
  /** ms of a clock that never steps. */
  readonly monotonicNow: () => number;
  /** Resolves after `ms`, or at once when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A probe in use by one run. */
export interface ProbeWatch {
  readonly name: string;
  /** All sources that were seen so far. */
  sources(): readonly string[];
  /** Sources that changed by themselves in the baseline. */
  readonly noise: readonly string[];
  /** False once changes had not ended when the longest wait was over. */
  isSettled(): boolean;
  /** What changed since the last call, or since the baseline. Nothing is lost between two calls. @throws CliError `probe-failed` */
  measure(times: SettleTimes): Promise<Effects>;
}

/** Takes the quiet baseline. @throws CliError `probe-failed` */
export async function watchProbe(probe: Probe, clock: RunClock, signal: AbortSignal): Promise<ProbeWatch> {
  const before = await probe.snapshot();
  await clock.sleep(BASELINE_MS, signal);
  const baseline = await probe.snapshot();
  const noise = baseline.changesSince(before).changes.map(({ source }) => source);
  let last = baseline;
  let settled = true;
  const sources = new Set(baseline.sources);
  return {
    name: probe.name,
    sources: () => [...sources],
    noise,
    isSettled: () => settled,
    async measure(times) {
      const { snapshot, isSettled } = await settle(probe, last, times, { clock, signal });
      const effects = snapshot.changesSince(last);
      last = snapshot;
      settled &&= isSettled;
      for (const source of snapshot.sources) {
        sources.add(source);
      }
      return effects;
    },
  };
}

/** Looks until nothing has changed for the asked time. */
async function settle(
  probe: Probe,
  before: ProbeSnapshot,
  times: SettleTimes,
  { clock, signal }: { readonly clock: RunClock; readonly signal: AbortSignal },
): Promise<{ readonly snapshot: ProbeSnapshot; readonly isSettled: boolean }> {
  const startedAt = clock.monotonicNow();
  let snapshot = await probe.snapshot();
  let changedAt = hasChanged(snapshot, before) ? clock.monotonicNow() : undefined;
  for (;;) {
    const now = clock.monotonicNow();
    const restMs =
      changedAt === undefined ? startedAt + times.firstChangeMs - now : changedAt + times.quietMs - now;
    if (restMs <= 0 || signal.aborted) {
      return { snapshot, isSettled: true };
    }
    if (now - startedAt >= Math.max(MIN_MAX_SETTLE_MS, times.quietMs * MAX_SETTLE_FACTOR)) {
      return { snapshot, isSettled: false };
    }
    await clock.sleep(Math.min(POLL_MS, restMs), signal);
    const next = await probe.snapshot();
    changedAt = hasChanged(next, snapshot) ? clock.monotonicNow() : changedAt;
    snapshot = next;
  }
}

function hasChanged(snapshot: ProbeSnapshot, earlier: ProbeSnapshot): boolean {
  return snapshot !== earlier && snapshot.changesSince(earlier).total > 0;
}
