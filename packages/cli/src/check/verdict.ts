import type { Verdict } from "../output/renderer.ts";
import { toCauses } from "./causes.ts";
import type { CauseCode } from "./causes.ts";
import { causesOfRepeatedEffects, isEffective } from "./repeated-effects.ts";
import { changedRows, isAcknowledged, isExcused, isUnreachable } from "./run-facts.ts";
import type { AttemptFacts, RunFacts } from "./run-facts.ts";

/**
 * The verdict on a run of attempts in sequence with one key. `bad` is a proven fault, `good` needs proof that a duplicate has no
 * effect, and all else is `inconclusive`. The first row that holds decides:
 *
 * | what was seen                                                          | result       | causes                       |
 * |------------------------------------------------------------------------|--------------|------------------------------|
 * | no attempt reached the target                                          | inconclusive | target-unreachable           |
 * | no probe, or not after every attempt                                   | inconclusive | (why not acknowledged), no-probe |
 * | sources that change by themselves                                      | inconclusive | noise                        |
 * | changes that had not ended when the probe stopped waiting              | inconclusive | still-changing               |
 * | the same kind of change after two attempts or more, one key            | bad          | no-key-check, key-stored-late, … |
 * | effects, but no acknowledgement                                        | bad          | effects-without-ack          |
 * | acknowledged, then an error answer to a duplicate                      | bad          | error-answer-to-duplicate    |
 * | refused with a stale or broken signature                               | inconclusive | stale-capture, signature-broken |
 * | not all acknowledged                                                   | inconclusive | all-rejected, no-answer, …   |
 * | all acknowledged, and …                                                |              |                              |
 * | … effects after another attempt than the first                         | inconclusive | late-effects                 |
 * | … no effects, replayed as new, the original had some                   | inconclusive | body-as-key, business-id     |
 * | … no effects, and no probe ever saw any of this delivery on this target | inconclusive | no-effects-seen, no-sources |
 * | … no effects, and a probe saw some of an earlier attempt                 | inconclusive | already-processed            |
 * | … a single attempt                                                     | inconclusive | single-attempt               |
 * | … no key in the delivery                                               | inconclusive | no-key                       |
 * | … effects with the first attempt only                                  | good         |                              |
 *
 * Effects of an earlier run never make a later one good: the handler may be another by now, and do nothing at all.
 */
export function judgeRun(facts: RunFacts): Verdict {
  const { result, causes } = find(facts);
  return {
    scenario: facts.scenario,
    result,
    attempts: facts.attempts.length,
    acknowledged: facts.attempts.filter((attempt) => isAcknowledged(attempt)).length,
    effects: sumEffects(facts),
    causes: toCauses(causes, facts),
  };
}

interface Finding {
  readonly result: Verdict["result"];
  readonly causes: readonly CauseCode[];
}

const TOO_MANY_REQUESTS = 429;

function find(facts: RunFacts): Finding {
  const { probe } = facts;
  if (facts.attempts.length === 0 || isUnreachable(facts)) {
    return inconclusive("target-unreachable");
  }
  const unacknowledged = causesOfUnacknowledged(facts);
  if (probe === null || facts.attempts.some(({ effects }) => effects === null)) {
    return inconclusive(...unacknowledged, "no-probe");
  }
  if (probe.noise.length > 0) {
    return inconclusive("noise");
  }
  if (!probe.isSettled) {
    return inconclusive(...unacknowledged, "still-changing");
  }
  const faults = provenFaults(facts);
  if (faults.length > 0) {
    return { result: "bad", causes: faults };
  }
  return unacknowledged.length > 0 ? inconclusive(...unacknowledged) : judgeEffects(facts);
}

function inconclusive(...causes: readonly CauseCode[]): Finding {
  return { result: "inconclusive", causes };
}

function provenFaults({ attempts, hasKey }: RunFacts): readonly CauseCode[] {
  return [
    ...(hasKey ? causesOfRepeatedEffects(attempts) : []),
    ...(hasEffectsWithoutAck(attempts) ? (["effects-without-ack"] as const) : []),
    ...(hasKey && hasErrorAnswerToDuplicate(attempts) ? (["error-answer-to-duplicate"] as const) : []),
  ];
}

/** After an acknowledged attempt without effects they may be its own, come late. */
function hasEffectsWithoutAck(attempts: readonly AttemptFacts[]): boolean {
  const idle = attempts.findIndex((attempt) => isAcknowledged(attempt) && changedRows(attempt) === 0);
  const unmistakable = idle === -1 ? attempts : attempts.slice(0, idle);
  return unmistakable.some((attempt) => isEffective(attempt) && !isAcknowledged(attempt));
}

function hasErrorAnswerToDuplicate(attempts: readonly AttemptFacts[]): boolean {
  const acknowledged = attempts.findIndex((attempt) => isAcknowledged(attempt));
  return acknowledged !== -1 && attempts.slice(acknowledged).some((attempt) => isErrorAnswer(attempt));
}

/** A whole answer that was no success, for no reason that lies in the test itself. */
function isErrorAnswer(attempt: AttemptFacts): boolean {
  return attempt.outcome === "rejected" && attempt.status !== TOO_MANY_REQUESTS && !isExcused(attempt);
}

/** Why attempts were not acknowledged; none when all were. */
function causesOfUnacknowledged(facts: RunFacts): readonly CauseCode[] {
  const missed = facts.attempts.filter((attempt) => !isAcknowledged(attempt));
  const unexcused = missed.filter((attempt) => !isExcused(attempt));
  return [
    ...signatureCauses(missed.filter((attempt) => isExcused(attempt))),
    ...rejectionCauses(facts),
    ...(unexcused.some(({ outcome, status }) => outcome === "rejected" && status === TOO_MANY_REQUESTS)
      ? (["rate-limited"] as const)
      : []),
    ...(unexcused.some(({ outcome }) => outcome !== "rejected") ? (["no-answer"] as const) : []),
  ];
}

function signatureCauses(excused: readonly AttemptFacts[]): readonly CauseCode[] {
  const isBroken = excused.some(({ signature }) => signature === "broken");
  const isStale = excused.some(({ signature }) => signature === "stale");
  return [
    ...(isBroken ? (["signature-broken"] as const) : []),
    ...(isStale ? (["stale-capture"] as const) : []),
  ];
}

function rejectionCauses({ attempts, hasKey, probe }: RunFacts): readonly CauseCode[] {
  if (!attempts.some((attempt) => isErrorAnswer(attempt))) {
    return [];
  }
  if (attempts.every((attempt) => isErrorAnswer(attempt))) {
    return probe?.hadEffects === true ? ["all-rejected", "error-answer-to-duplicate"] : ["all-rejected"];
  }
  if (hasKey && hasErrorAnswerToDuplicate(attempts)) {
    return ["error-answer-to-duplicate"];
  }
  return isFailedFirst(attempts) ? ["failed-first"] : ["some-rejected"];
}

/** Refused without effects, then acknowledged with effects once: what a provider's retry is for. */
function isFailedFirst(attempts: readonly AttemptFacts[]): boolean {
  const first = attempts.findIndex((attempt) => isAcknowledged(attempt));
  return (
    first > 0 &&
    attempts.every((attempt, at) => (at === first ? changedRows(attempt) > 0 : changedRows(attempt) === 0))
  );
}

/** All attempts are acknowledged, and no fault is proven. */
function judgeEffects(facts: RunFacts): Finding {
  const { first, rest } = sumEffects(facts) ?? { first: 0, rest: 0 };
  if (rest > 0) {
    return facts.hasKey ? inconclusive("late-effects") : inconclusive("no-key");
  }
  if (first === 0) {
    return judgeNoEffects(facts);
  }
  if (facts.attempts.length === 1) {
    return inconclusive("single-attempt");
  }
  return facts.hasKey ? { result: "good", causes: [] } : inconclusive("no-key");
}

function judgeNoEffects({ scenario, probe, hasKey }: RunFacts): Finding {
  if (scenario === "replay" && probe?.originalHadEffects === true && hasKey) {
    // A handler may rightly go by a business id; which of the two it is can't be told from outside.
    return inconclusive("body-as-key", "business-id");
  }
  if (probe?.sources.length === 0) {
    return inconclusive("no-sources");
  }
  return inconclusive(probe?.hadEffects === true ? "already-processed" : "no-effects-seen");
}

/** Null unless a probe looked after every attempt. */
function sumEffects({ attempts, probe }: RunFacts): Verdict["effects"] {
  if (probe === null || attempts.some(({ effects }) => effects === null)) {
    return null;
  }
  const total = attempts.reduce((sum, attempt) => sum + changedRows(attempt), 0);
  const first = attempts[0] === undefined ? 0 : changedRows(attempts[0]);
  return { first, rest: total - first, total };
}
