import type { ForwardRequest, ForwardResult, Forwarder } from "../../forward/forwarder.ts";
import type {
  Effects,
  HistoryStore,
  NewAttempt,
  RunRecord,
  DeliveryRecord,
  AttemptRecord,
} from "../../history/history-store.ts";
import type { Probe, ProbeSnapshot } from "../../probes/probe.ts";
import type { RunClock } from "../probe-watch.ts";

/** A clock that stands still but for `sleep`, which passes at once; what was put off is done when its time has come. */
export class FakeClock implements RunClock {
  #nowMs = 0;
  #due: { readonly atMs: number; readonly work: () => void }[] = [];
  readonly #startedAt: number;

  constructor(startedAt: number = Date.UTC(2026, 0, 2)) {
    this.#startedAt = startedAt;
  }

  readonly now = (): number => this.#startedAt + this.#nowMs;
  readonly monotonicNow = (): number => this.#nowMs;
  readonly sleep = async (ms: number): Promise<void> => {
    this.advance(ms);
  };

  advance(ms: number): void {
    this.#nowMs += ms;
    const due = this.#due.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#due = this.#due.filter(({ atMs }) => atMs > this.#nowMs);
    for (const { work } of due) {
      work();
    }
  }

  after(ms: number, work: () => void): void {
    this.#due.push({ atMs: this.#nowMs + ms, work });
  }
}

/** Tables in memory, as rows inserted so far, and a probe on them. */
export class FakeDatabase {
  readonly #rows = new Map<string, number>();
  isBroken = false;
  snapshots = 0;

  constructor(...tables: readonly string[]) {
    for (const table of tables) {
      this.#rows.set(table, 0);
    }
  }

  insert(table: string): void {
    this.#rows.set(table, (this.#rows.get(table) ?? 0) + 1);
  }

  count(table: string): number {
    return this.#rows.get(table) ?? 0;
  }

  readonly probe: Probe = {
    name: "fake:db",
    snapshot: async () => {
      this.snapshots += 1;
      if (this.isBroken) {
        throw new Error("the probe broke");
      }
      return new FakeSnapshot(new Map(this.#rows));
    },
    close: async () => {},
  };
}

class FakeSnapshot implements ProbeSnapshot {
  readonly rows: ReadonlyMap<string, number>;

  constructor(rows: ReadonlyMap<string, number>) {
    this.rows = rows;
  }

  get sources(): readonly string[] {
    return [...this.rows.keys()];
  }

  changesSince(earlier: ProbeSnapshot): Effects {
    const before = earlier instanceof FakeSnapshot ? earlier.rows : new Map<string, number>();
    const changes = [...this.rows]
      .map(([source, rows]) => ({
        source,
        inserted: rows - (before.get(source) ?? 0),
        updated: 0,
        deleted: 0,
      }))
      .filter((change) => change.inserted > 0);
    return { total: changes.reduce((sum, { inserted }) => sum + inserted, 0), changes };
  }
}

type Handler = (request: ForwardRequest, attempt: number) => number | ForwardResult["outcome"];

/** A handler behind a forwarder: it gives the status of its answer, or how the attempt failed. Attempts count from 1. */
export class FakeForwarder implements Forwarder {
  readonly requests: ForwardRequest[] = [];
  readonly #handler: Handler;

  constructor(handler: Handler) {
    this.#handler = handler;
  }

  async forward(_target: unknown, request: ForwardRequest): Promise<ForwardResult> {
    this.requests.push(request);
    const answer = this.#handler(request, this.requests.length);
    return typeof answer === "number"
      ? {
          outcome: "answered",
          head: { status: answer, statusText: "", headers: [] },
          cause: null,
          durationMs: 1,
        }
      : { outcome: answer, head: null, cause: `it was ${answer}`, durationMs: 1 };
  }

  async close(): Promise<void> {}
}

/** The part of a history that a run writes and reads. */
export class FakeHistory implements Pick<
  HistoryStore,
  "recordDelivery" | "recordAttempt" | "recordRun" | "hadEffects" | "attempts"
> {
  readonly deliveries: DeliveryRecord[] = [];
  readonly recorded: AttemptRecord[] = [];
  readonly runs: RunRecord[] = [];

  recordDelivery(delivery: DeliveryRecord): void {
    this.deliveries.push(delivery);
  }

  recordAttempt(attempt: NewAttempt): number {
    const number = this.attempts(attempt.deliveryId).length + 1;
    this.recorded.push({ ...attempt, number });
    return number;
  }

  recordRun(run: RunRecord): void {
    this.runs.push(run);
  }

  attempts(deliveryId: string): AttemptRecord[] {
    return this.recorded.filter((attempt) => attempt.deliveryId === deliveryId);
  }

  hadEffects(deliveryId: string, target: string): boolean {
    return this.attempts(deliveryId).some(
      (attempt) => attempt.target === target && (attempt.effects?.total ?? 0) > 0,
    );
  }
}
