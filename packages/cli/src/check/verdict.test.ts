import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Effects, Outcome } from "../history/history-store.ts";
import { exitCodeOf } from "./exit-code.ts";
import type { AttemptFacts, RunFacts } from "./run-facts.ts";
import { NO_EFFECTS, answered, inserted, run, times, unanswered, updated } from "./testing/facts.ts";
import { judgeRun } from "./verdict.ts";

const CHARGE = inserted({ charges: 1 });
const noProbe = { probe: null };

function verdictOf(facts: RunFacts): [result: string, ...causes: string[]] {
  const { result, causes } = judgeRun(facts);
  return [result, ...causes.map(({ code }) => code)];
}

function messageOf(facts: RunFacts): string {
  return judgeRun(facts).causes[0]?.message ?? "";
}

describe("a handler is good", () => {
  it("when all attempts are acknowledged and only the first one wrote", () => {
    const verdict = judgeRun(
      run([answered(200, inserted({ charges: 1, events: 1 })), ...times(9, answered(200))]),
    );

    expect(verdict).toEqual({
      scenario: "resend",
      result: "good",
      attempts: 10,
      acknowledged: 10,
      effects: { first: 2, rest: 0, total: 2 },
      causes: [],
    });
  });

  it("when a replay as new wrote once, whatever the original did", () => {
    const facts = { scenario: "replay", probe: { originalHadEffects: true } } as const;
    expect(verdictOf(run([answered(202, CHARGE), answered(200)], facts))).toEqual(["good"]);
  });
});

describe("a handler is bad", () => {
  it("for want of a key check, when every attempt made the same change", () => {
    const facts = run(times(10, answered(200, CHARGE)));

    expect(verdictOf(facts)).toEqual(["bad", "no-key-check"]);
    expect(judgeRun(facts).effects).toEqual({ first: 1, rest: 9, total: 10 });
    expect(messageOf(facts)).toContain("Each of the 10 attempts");
    expect(messageOf(facts)).toContain("inserted 1 row in charges");
  });

  it("for want of a key check, when the work is an insert first and an update for each duplicate", () => {
    const facts = run([answered(200, CHARGE), ...times(3, answered(200, updated("charges", 1)))]);
    expect(verdictOf(facts)).toEqual(["bad", "no-key-check"]);
  });

  it("when duplicates still do a part of the first attempt's work", () => {
    const facts = run([
      answered(200, inserted({ charges: 1, log: 1 })),
      ...times(4, answered(200, inserted({ log: 1 }))),
    ]);
    expect(verdictOf(facts)).toEqual(["bad", "duplicate-changes-rows", "no-key-check"]);
  });

  it("when the first few attempts wrote: the key is stored late, or forgotten", () => {
    const facts = run([...times(3, answered(200, CHARGE)), ...times(7, answered(200))]);
    expect(verdictOf(facts)).toEqual(["bad", "key-stored-late", "key-forgotten"]);
  });

  it("when some attempts wrote: the key is forgotten, or stored late", () => {
    const facts = run([answered(200, CHARGE), answered(200), answered(200, CHARGE), answered(200)]);
    expect(verdictOf(facts)).toEqual(["bad", "key-forgotten", "key-stored-late"]);
  });

  it("when it answers an error to a delivery that it has acknowledged", () => {
    const facts = run([answered(200, CHARGE), ...times(9, answered(409))]);
    expect(verdictOf(facts)).toEqual(["bad", "error-answer-to-duplicate"]);
    expect(messageOf(facts)).toContain("409");
  });

  it("when a redirect answers a duplicate", () => {
    expect(verdictOf(run([answered(200, CHARGE), answered(302)]))).toEqual([
      "bad",
      "error-answer-to-duplicate",
    ]);
  });

  it("when it writes and does not acknowledge", () => {
    expect(verdictOf(run([answered(500, CHARGE), answered(200)]))).toEqual(["bad", "effects-without-ack"]);
    expect(verdictOf(run([unanswered("timeout", CHARGE), answered(200)]))).toEqual([
      "bad",
      "effects-without-ack",
    ]);
  });

  it("for all that is proven, the repeated effects first", () => {
    const facts = run([answered(200, CHARGE), answered(500, CHARGE)]);
    expect(verdictOf(facts)).toEqual([
      "bad",
      "no-key-check",
      "effects-without-ack",
      "error-answer-to-duplicate",
    ]);
  });

  it("even when the capture went stale later, once the fault is proven", () => {
    const facts = run([...times(2, answered(200, CHARGE)), answered(400, NO_EFFECTS, "stale")]);
    expect(verdictOf(facts)).toEqual(["bad", "no-key-check"]);
  });
});

describe("nothing is concluded", () => {
  it("when no attempt changed anything, and it says what was watched", () => {
    const facts = run(times(10, answered(200)), { probe: { sources: ["songs", "albums"] } });
    expect(verdictOf(facts)).toEqual(["inconclusive", "no-effects-seen"]);
    expect(messageOf(facts)).toContain("sqlite:app.db (songs and albums)");
    expect(messageOf(facts)).toContain("--as-new");
  });

  it("when the probe has no table to watch", () => {
    expect(verdictOf(run(times(2, answered(200)), { probe: { sources: [] } }))).toEqual([
      "inconclusive",
      "no-sources",
    ]);
  });

  it("without a probe, whatever the answers", () => {
    const acknowledged = run(times(3, answered(200, null)), noProbe);
    expect(verdictOf(acknowledged)).toEqual(["inconclusive", "no-probe"]);
    expect(judgeRun(acknowledged).effects).toBeNull();
    expect(messageOf(acknowledged)).toContain("--probe");
    expect(verdictOf(run([answered(200, null), answered(500, null)], noProbe))).toEqual([
      "inconclusive",
      "error-answer-to-duplicate",
      "no-probe",
    ]);
  });

  it("when a fresh key has no effect although the original had: by body, or by a business id", () => {
    const facts = { scenario: "replay", probe: { originalHadEffects: true } } as const;
    expect(verdictOf(run(times(10, answered(200)), facts))).toEqual([
      "inconclusive",
      "body-as-key",
      "business-id",
    ]);
    expect(verdictOf(run([answered(200)], facts))).toEqual(["inconclusive", "body-as-key", "business-id"]);
  });

  it("from one attempt", () => {
    expect(verdictOf(run([answered(200, CHARGE)]))).toEqual(["inconclusive", "single-attempt"]);
  });

  it("when no attempt wrote, even if a probe saw effects of an earlier attempt: the handler may do nothing by now", () => {
    const facts = { probe: { hadEffects: true } } as const;
    expect(verdictOf(run(times(10, answered(200)), facts))).toEqual(["inconclusive", "already-processed"]);
    expect(verdictOf(run([answered(200)], facts))).toEqual(["inconclusive", "already-processed"]);
    expect(messageOf(run(times(10, answered(200)), facts))).toContain("--as-new");
  });

  it("while something still changes at the end, however much looks like a fault: it may be somebody else's", () => {
    const facts = { probe: { isSettled: false } } as const;
    expect(verdictOf(run(times(10, answered(200, CHARGE)), facts))).toEqual([
      "inconclusive",
      "still-changing",
    ]);
  });

  it("when tables change by themselves, and it names them", () => {
    const facts = run(times(10, answered(200, CHARGE)), { probe: { noise: ["sessions"] } });
    expect(verdictOf(facts)).toEqual(["inconclusive", "noise"]);
    expect(messageOf(facts)).toContain("sessions");
  });

  it("when a stale capture is refused: a good handler is not blamed for it", () => {
    const facts = run(times(10, answered(400, NO_EFFECTS, "stale")));
    expect(verdictOf(facts)).toEqual(["inconclusive", "stale-capture"]);
    expect(messageOf(facts)).toContain("--secret stripe=env:");
  });

  it("when the capture goes stale in the middle of the run", () => {
    const facts = run([answered(200, CHARGE), answered(200), answered(401, NO_EFFECTS, "stale")]);
    expect(verdictOf(facts)).toEqual(["inconclusive", "stale-capture"]);
  });

  it("when a signature that no longer fits is refused", () => {
    const facts = run([answered(400, NO_EFFECTS, "broken")], { scenario: "replay" });
    expect(verdictOf(facts)).toEqual(["inconclusive", "signature-broken"]);
  });

  it("when every attempt is refused and nothing written", () => {
    expect(verdictOf(run(times(3, answered(401))))).toEqual(["inconclusive", "all-rejected"]);
    expect(verdictOf(run(times(3, answered(409)), { probe: { hadEffects: true } }))).toEqual([
      "inconclusive",
      "all-rejected",
      "error-answer-to-duplicate",
    ]);
  });

  it("when a handler failed at first and then wrote once, as a retry is meant to end", () => {
    expect(verdictOf(run([answered(503), answered(200, CHARGE)]))).toEqual(["inconclusive", "failed-first"]);
  });

  it("when effects come once, but after another attempt than the first: a worker may have made them", () => {
    expect(verdictOf(run([answered(200), answered(200, CHARGE), answered(200)]))).toEqual([
      "inconclusive",
      "late-effects",
    ]);
  });

  it("when what comes later is other work than the first attempt's: a worker may have gone on with it", () => {
    const facts = run([answered(200, inserted({ inbox: 1 })), answered(200), answered(200, CHARGE)]);
    expect(verdictOf(facts)).toEqual(["inconclusive", "late-effects"]);
  });

  it("when changes had not ended", () => {
    const facts = run([answered(200, CHARGE), answered(200)], { probe: { isSettled: false } });
    expect(verdictOf(facts)).toEqual(["inconclusive", "still-changing"]);
  });

  it("when the delivery has no key, so that no handler could know the duplicate", () => {
    const keyless = { hasKey: false };
    expect(verdictOf(run(times(2, answered(200, CHARGE)), keyless))).toEqual(["inconclusive", "no-key"]);
    expect(verdictOf(run([answered(200, CHARGE), answered(200)], keyless))).toEqual([
      "inconclusive",
      "no-key",
    ]);
  });

  it("when the handler only limits the rate", () => {
    expect(verdictOf(run([answered(200, CHARGE), answered(429)]))).toEqual(["inconclusive", "rate-limited"]);
  });

  it("when duplicates get no whole answer", () => {
    const facts = run([answered(200, CHARGE), unanswered("reset"), unanswered("refused")]);
    expect(verdictOf(facts)).toEqual(["inconclusive", "no-answer"]);
    expect(messageOf(facts)).toContain("reset and refused");
  });

  it("when nobody is there", () => {
    expect(verdictOf(run([unanswered("refused")]))).toEqual(["inconclusive", "target-unreachable"]);
  });
});

describe("the exit code", () => {
  const exitOf = (facts: RunFacts) => exitCodeOf(judgeRun(facts), facts);

  it("is 0 for good, and for acknowledgement where no more was asked", () => {
    expect(exitOf(run([answered(200, CHARGE), answered(200)]))).toBe(0);
    expect(exitOf(run(times(3, answered(200, null)), noProbe))).toBe(0);
    expect(exitOf(run([answered(200, CHARGE)]))).toBe(0);
  });

  it("is 1 for bad, and for an attempt that was not acknowledged", () => {
    expect(exitOf(run(times(2, answered(200, CHARGE))))).toBe(1);
    expect(exitOf(run(times(3, answered(401))))).toBe(1);
    expect(exitOf(run([answered(200, null), unanswered("timeout", null)], noProbe))).toBe(1);
    expect(exitOf(run([answered(500), answered(200)], { probe: { noise: ["sessions"] } }))).toBe(1);
  });

  it("is 3 when no attempt reached the target", () => {
    expect(exitOf(run([unanswered("refused")]))).toBe(3);
  });

  it("is 7 for all else, a signature that is stale or broken included", () => {
    expect(exitOf(run(times(10, answered(200))))).toBe(7);
    expect(exitOf(run([answered(200)]))).toBe(7);
    expect(exitOf(run(times(10, answered(400, NO_EFFECTS, "stale"))))).toBe(7);
    expect(exitOf(run([answered(400, null, "broken")], { ...noProbe, scenario: "replay" }))).toBe(7);
    expect(exitOf(run(times(2, answered(200, CHARGE)), { probe: { noise: ["charges"] } }))).toBe(7);
  });
});

const outcomes: readonly Outcome[] = [
  "acknowledged",
  "rejected",
  "refused",
  "reset",
  "timeout",
  "tls",
  "bad-answer",
  "truncated",
  "cancelled",
  "recorded",
];

const someEffects: fc.Arbitrary<Effects | null> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(NO_EFFECTS) },
  { weight: 1, arbitrary: fc.constant(null) },
  {
    weight: 2,
    arbitrary: fc.record({ charges: fc.nat(2), events: fc.nat(2) }).map((rows) => inserted(rows)),
  },
);
const someAttempt: fc.Arbitrary<AttemptFacts> = fc.record({
  status: fc.constantFrom(200, 204, 302, 409, 429, 500, null),
  outcome: fc.oneof(
    { weight: 8, arbitrary: fc.constant<Outcome>("acknowledged") },
    { weight: 2, arbitrary: fc.constantFrom(...outcomes) },
  ),
  effects: someEffects,
  signature: fc.constantFrom("fits", "fits", "stale", "broken"),
});
const mostly = (value: boolean) => fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, fc.boolean());
const someRun: fc.Arbitrary<RunFacts> = fc.record({
  scenario: fc.constantFrom("resend", "replay"),
  target: fc.constant("http://localhost:3000"),
  provider: fc.constantFrom("stripe", null),
  hasKey: mostly(true),
  attempts: fc.array(someAttempt, { maxLength: 6 }),
  probe: fc.option(
    fc.record({
      name: fc.constant("sqlite:app.db"),
      sources: fc.subarray(["charges", "events"]),
      noise: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.subarray(["charges"])),
      isSettled: mostly(true),
      hadEffects: fc.boolean(),
      originalHadEffects: fc.boolean(),
    }),
    { freq: 8 },
  ),
});

/** The promise of "good" once more, written without any of the code under test. */
function deservesGood({ attempts, probe, hasKey }: RunFacts): boolean {
  const rows = attempts.map(({ effects }) => effects?.total);
  const [first, ...rest] = rows;
  return (
    probe !== null &&
    probe.noise.length === 0 &&
    probe.isSettled &&
    hasKey &&
    attempts.length >= 2 &&
    attempts.every(({ outcome }) => outcome === "acknowledged") &&
    rest.every((count) => count === 0) &&
    first !== undefined &&
    first > 0
  );
}

describe("for any run whatever", () => {
  const RUNS = 5_000;

  it("good is said where it is deserved, and nowhere else", () => {
    let good = 0;
    fc.assert(
      fc.property(someRun, (facts) => {
        const { result } = judgeRun(facts);
        good += result === "good" ? 1 : 0;
        expect(result === "good").toBe(deservesGood(facts));
      }),
      { numRuns: RUNS },
    );
    expect(good).toBeGreaterThan(10);
  });

  it("exit code 0 is only given when all attempts were acknowledged and the verdict is not bad", () => {
    fc.assert(
      fc.property(someRun, (facts) => {
        const verdict = judgeRun(facts);
        const isAllAcknowledged = facts.attempts.length > 0 && verdict.acknowledged === facts.attempts.length;
        const code = exitCodeOf(verdict, facts);
        expect(code === 0 && (!isAllAcknowledged || verdict.result === "bad")).toBe(false);
        expect(verdict.result === "bad").toBe(code === 1 && verdict.result === "bad");
      }),
      { numRuns: RUNS },
    );
  });

  it("all but good has a cause in whole words, and the effects add up", () => {
    fc.assert(
      fc.property(someRun, (facts) => {
        const { result, causes, effects } = judgeRun(facts);
        expect(causes.length > 0).toBe(result !== "good");
        expect(
          causes.every(({ message }) => message.length > 20 && !/undefined|null|NaN/.test(message)),
        ).toBe(true);
        expect(new Set(causes.map(({ code }) => code)).size).toBe(causes.length);
        expect(effects === null ? 0 : effects.first + effects.rest - effects.total).toBe(0);
      }),
      { numRuns: RUNS },
    );
  });

  it("no effects and no refusal never make a handler bad, unless a fresh key was ignored", () => {
    fc.assert(
      fc.property(someRun, fc.boolean(), (facts, hadEffects) => {
        const quiet = facts.attempts.map(
          (attempt) => ({ ...attempt, outcome: "acknowledged", effects: NO_EFFECTS }) as const,
        );
        const probe = facts.probe === null ? null : { ...facts.probe, hadEffects, originalHadEffects: false };
        expect(judgeRun({ ...facts, attempts: quiet, probe }).result).not.toBe("bad");
      }),
    );
  });
});
