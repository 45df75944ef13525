import { EXIT } from "../errors.ts";
import type { ExitCode } from "../errors.ts";
import type { Verdict } from "../output/renderer.ts";
import { isAcknowledged, isExcused, isUnreachable } from "./run-facts.ts";
import type { RunFacts } from "./run-facts.ts";

/** Causes that leave nothing open of what was asked: the user wanted no probe, or a single attempt. */
const NOTHING_MORE_ASKED: ReadonlySet<string> = new Set(["no-probe", "single-attempt"]);

/**
 * The exit code of a run:
 *
 * - 0: good; or all acknowledged where no more was asked (no probe, a single attempt)
 * - 1: bad; or an attempt was not acknowledged, and not for its signature
 * - 3: no attempt reached the target
 * - 7: inconclusive for another reason, a stale or broken signature included
 */
export function exitCodeOf(verdict: Verdict, facts: RunFacts): ExitCode {
  if (verdict.result === "good") {
    return EXIT.good;
  }
  if (verdict.result === "bad") {
    return EXIT.bad;
  }
  if (isUnreachable(facts)) {
    return EXIT.targetUnreachable;
  }
  if (facts.attempts.some((attempt) => !isAcknowledged(attempt) && !isExcused(attempt))) {
    return EXIT.bad;
  }
  const isAllAcknowledged =
    facts.attempts.length > 0 && facts.attempts.every((attempt) => isAcknowledged(attempt));
  const isEnough = NOTHING_MORE_ASKED.has(verdict.causes[0]?.code ?? "");
  return isAllAcknowledged && isEnough ? EXIT.good : EXIT.inconclusive;
}
