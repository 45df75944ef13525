import { describe, expect, it } from "vitest";
import type { AttemptRecord } from "../history/history-store.ts";
import { planReplayAsNew } from "./replay-as-new.ts";
import { replayDelivery } from "./replay-delivery.ts";
import { planResend } from "./resend.ts";
import { FakeClock, FakeDatabase, FakeForwarder, FakeHistory } from "./testing/fake-run.ts";
import { NO_SECRETS, stripeDelivery, TARGET } from "./testing/stripe-delivery.ts";

/** A run against a handler in memory, with all that it leaves behind. */
function createBench({ tables = ["charges"] }: { readonly tables?: readonly string[] } = {}) {
  const clock = new FakeClock();
  const database = new FakeDatabase(...tables);
  const history = new FakeHistory();
  const stopping = new AbortController();
  const seen: AttemptRecord[] = [];
  const delivery = stripeDelivery(clock.now());
  const request = { delivery, target: TARGET, secrets: NO_SECRETS, now: clock.now() };
  async function run(
    handler: ConstructorParameters<typeof FakeForwarder>[0],
    options: { readonly times?: number; readonly asNew?: boolean; readonly probed?: boolean } = {},
  ) {
    const forwarder = new FakeForwarder(handler);
    const plan = options.asNew === true ? planReplayAsNew(request) : planResend(request);
    const result = await replayDelivery(
      plan,
      { times: options.times ?? 10, settleMs: 3_000, signal: stopping.signal },
      {
        forwarder,
        history,
        probe: options.probed === false ? null : database.probe,
        clock,
        onStart: () => {},
        onAttempt: (attempt) => seen.push(attempt),
      },
    );
    return { ...result, requests: forwarder.requests };
  }
  return { clock, database, history, stopping, seen, delivery, run };
}

const totals = (attempts: readonly AttemptRecord[]) => attempts.map(({ effects }) => effects?.total ?? null);

describe("a run of ten attempts", () => {
  it("lays each change at the attempt that made it, records everything, and ends with the verdict", async () => {
    const { database, history, seen, delivery, run } = createBench();

    const { verdict, requests } = await run((_request, attempt) => {
      if (attempt === 1) {
        database.insert("charges");
      }
      return 200;
    });

    expect(requests).toHaveLength(10);
    expect(totals(seen)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(history.recorded).toEqual(seen);
    expect(seen.every(({ trigger, deliveryId }) => trigger === "resend" && deliveryId === delivery.id)).toBe(
      true,
    );
    expect(verdict).toMatchObject({
      result: "good",
      acknowledged: 10,
      effects: { first: 1, rest: 0, total: 1 },
    });
    expect(history.runs.map((record) => record.verdict)).toEqual([null, JSON.stringify(verdict)]);
    expect(new Set(seen.map(({ runId }) => runId))).toEqual(new Set([history.runs[0]?.id]));
    expect(history.deliveries).toEqual([]);
  });

  it("finds the handler bad that writes every time", async () => {
    const { database, seen, run } = createBench();
    const { verdict } = await run(() => {
      database.insert("charges");
      return 200;
    });
    expect(totals(seen)).toEqual(Array.from({ length: 10 }, () => 1));
    expect(verdict?.causes[0]?.code).toBe("no-key-check");
  });

  it("without a probe looks at the answers only", async () => {
    const { seen, run } = createBench();
    const { verdict } = await run(() => 200, { probed: false, times: 3 });
    expect(totals(seen)).toEqual([null, null, null]);
    expect(verdict).toMatchObject({ acknowledged: 3, effects: null });
  });

  it("counts a table that the handler makes with its first row", async () => {
    const { database, run } = createBench({ tables: [] });
    const { verdict, facts } = await run((_request, attempt) => {
      if (attempt === 1) {
        database.insert("created_late");
      }
      return 200;
    });
    expect(verdict?.result).toBe("good");
    expect(facts.probe?.sources).toEqual(["created_late"]);
  });

  it("records a replay as new as a new delivery before its first attempt", async () => {
    const { database, history, delivery, run } = createBench();
    const { verdict } = await run(
      (_request, attempt) => {
        expect(history.deliveries).toHaveLength(1);
        if (attempt === 1) {
          database.insert("charges");
        }
        return 200;
      },
      { asNew: true },
    );
    expect(history.deliveries[0]).toMatchObject({ replayOf: delivery.id });
    expect(history.recorded.every(({ trigger }) => trigger === "replay")).toBe(true);
    expect(verdict).toMatchObject({ scenario: "replay", result: "good" });
  });
});

describe("a handler that answers first and writes after", () => {
  const WORK_MS = 400;

  it("is good when it does the work once: the first attempt is waited for", async () => {
    const { clock, database, seen, run } = createBench();
    const { verdict } = await run((_request, attempt) => {
      if (attempt === 1) {
        clock.after(WORK_MS, () => database.insert("charges"));
      }
      return 200;
    });
    expect(totals(seen).slice(0, 2)).toEqual([1, 0]);
    expect(verdict?.result).toBe("good");
  });

  it("is good when a worker goes on in steps", async () => {
    const { clock, database, run } = createBench({ tables: ["inbox", "charges"] });
    const { verdict } = await run((_request, attempt) => {
      if (attempt === 1) {
        database.insert("inbox");
        clock.after(WORK_MS, () => database.insert("charges"));
      }
      return 200;
    });
    expect(verdict).toMatchObject({ result: "good", effects: { first: 2, rest: 0 } });
  });

  it.each([150, 400, 900])("is bad when it does the work each time, %i ms later", async (workMs) => {
    const { clock, database, run } = createBench();
    const { verdict } = await run(() => {
      clock.after(workMs, () => database.insert("charges"));
      return 200;
    });
    expect(verdict?.result).toBe("bad");
  });

  it("is never good when only the last duplicate writes, shortly before the end", async () => {
    const { clock, database, run } = createBench();
    const { verdict } = await run((_request, attempt) => {
      if (attempt === 1) {
        database.insert("charges");
      }
      if (attempt === 10) {
        clock.after(990, () => database.insert("charges"));
      }
      return 200;
    });
    expect(verdict).toMatchObject({ result: "bad", effects: { first: 1, rest: 1 } });
  });

  it("is not blamed when its work comes later than is waited for", async () => {
    const { clock, database, run } = createBench();
    const { verdict } = await run((_request, attempt) => {
      if (attempt === 1) {
        clock.after(2_000, () => database.insert("charges"));
      }
      return 200;
    });
    expect(verdict?.causes.map(({ code }) => code)).toEqual(["late-effects"]);
  });

  it("ends, and concludes nothing, when the changes never end", async () => {
    const { clock, database, run } = createBench();
    const write = () => {
      database.insert("charges");
      clock.after(50, write);
    };
    const { facts } = await run(
      () => {
        write();
        return 200;
      },
      { times: 1 },
    );
    expect(facts.probe?.isSettled).toBe(false);
  });
});

describe("earlier effects", () => {
  it("of this delivery don't make a second run good that changes nothing, and it says what would", async () => {
    const { database, run } = createBench();
    await run((_request, attempt) => {
      if (attempt === 1) {
        database.insert("charges");
      }
      return 200;
    });
    const { verdict } = await run(() => 200);
    expect(verdict).toMatchObject({
      result: "inconclusive",
      effects: { total: 0 },
      causes: [{ code: "already-processed" }],
    });
  });

  it("in a table that is not watched now prove nothing", async () => {
    const { history, delivery, run } = createBench({ tables: ["songs"] });
    const other = createBench();
    await other.run(() => {
      other.database.insert("charges");
      return 200;
    });
    for (const attempt of other.history.recorded) {
      history.recordAttempt({ ...attempt, deliveryId: delivery.id });
    }
    const { verdict } = await run(() => 200);
    expect(verdict).toMatchObject({ result: "inconclusive", causes: [{ code: "no-effects-seen" }] });
  });

  it("of the original tell a fresh key without effects from a handler that does nothing", async () => {
    const { database, run } = createBench();
    await run((_request, attempt) => {
      if (attempt === 1) {
        database.insert("charges");
      }
      return 200;
    });
    const { verdict } = await run(() => 200, { asNew: true });
    expect(verdict).toMatchObject({
      result: "inconclusive",
      causes: [{ code: "body-as-key" }, { code: "business-id" }],
    });
  });
});

describe("a run that can't be what it should", () => {
  it("names the tables that change by themselves", async () => {
    const { clock, database, run } = createBench({ tables: ["charges", "sessions"] });
    clock.after(100, () => database.insert("sessions"));
    const { verdict, facts } = await run(() => 200);
    expect(facts.probe?.noise).toEqual(["sessions"]);
    expect(verdict?.causes[0]?.code).toBe("noise");
  });

  it("stops when the first attempt finds nobody there, and waits for no effects of it", async () => {
    const { clock, seen, run } = createBench();
    const startedAt = clock.monotonicNow();
    const { verdict, lastCause } = await run(() => "refused");
    expect(seen).toHaveLength(1);
    expect(verdict?.causes[0]?.code).toBe("target-unreachable");
    expect(lastCause).toBe("it was refused");
    expect(clock.monotonicNow() - startedAt).toBeLessThan(500);
  });

  it("goes on when a handler that was there goes away", async () => {
    const { seen, run } = createBench();
    await run((_request, attempt) => (attempt === 1 ? "reset" : "refused"), { times: 3 });
    expect(seen.map(({ outcome }) => outcome)).toEqual(["reset", "refused", "refused"]);
  });

  it("stops at the signal, and stays in the history without a verdict", async () => {
    const { history, stopping, seen, run } = createBench();
    const { verdict } = await run((_request, attempt) => {
      if (attempt === 3) {
        stopping.abort();
      }
      return 200;
    });
    expect(verdict).toBeNull();
    expect(seen).toHaveLength(3);
    expect(history.runs.map((record) => record.verdict)).toEqual([null]);
  });

  it("records the attempt after which the probe broke", async () => {
    const { database, history, run } = createBench();
    const broken = run((_request, attempt) => {
      database.isBroken = attempt === 2;
      return 200;
    });
    await expect(broken).rejects.toThrow("the probe broke");
    expect(totals(history.recorded)).toEqual([0, null]);
  });

  it("ends as stale when the signature grows old in the middle of it", async () => {
    const { clock, database, run } = createBench();
    const { verdict } = await run((_request, attempt) => {
      if (attempt === 1) {
        database.insert("charges");
        clock.advance(301_000);
      }
      return attempt === 1 ? 200 : 400;
    });
    expect(verdict).toMatchObject({
      result: "inconclusive",
      acknowledged: 1,
      causes: [{ code: "stale-capture" }],
    });
  });
});
