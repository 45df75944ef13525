import { Sqlite } from "./sqlite-driver.ts";
import { describe, expect, it } from "vitest";
import type { AttemptRecord } from "./history-store.ts";
import { newRunId } from "./ids.ts";
import { SAMPLE_TIME, sampleAttempt, sampleBody, sampleDelivery } from "./testing/sample-records.ts";
import { openTempHistory } from "./testing/temp-history.ts";

const TARGET = "http://127.0.0.1:3000";

describe("a recorded delivery", () => {
  it("comes back byte for byte: body, headers with order, case and repeats", async () => {
    const history = openTempHistory();
    const allBytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const delivery = sampleDelivery({
      body: { bytes: allBytes, size: 999, truncated: true },
      provider: null,
      event: null,
    });
    history.recordDelivery(delivery);
    await history.flush();

    const stored = history.get(delivery.id);

    expect(stored).toEqual({ ...delivery, body: { ...delivery.body, bytes: Buffer.from(allBytes) } });
  });

  it("is not there before it is committed, and is after a flush", async () => {
    const history = openTempHistory();
    const delivery = sampleDelivery();
    history.recordDelivery(delivery);
    expect(history.get(delivery.id)).toBeUndefined();
    await history.flush();
    expect(history.get(delivery.id)?.id).toBe(delivery.id);
  });

  it("is stored once when the relay hands it over twice", async () => {
    const history = openTempHistory();
    const delivery = sampleDelivery();
    history.recordDelivery(delivery);
    history.recordDelivery({ ...delivery, key: "other" });
    await history.flush();
    expect(history.list({ limit: 10 }).map(({ key }) => key)).toEqual(["evt_1"]);
  });

  it("shares its stored body with every other of the same bytes", async () => {
    const history = openTempHistory();
    for (let count = 0; count < 10; count += 1) {
      history.recordDelivery(sampleDelivery({ body: sampleBody("same") }));
    }
    history.recordDelivery(sampleDelivery({ body: sampleBody("other") }));
    await history.flush();
    expect(countRows(history.path, "bodies")).toBe(2);
  });
});

describe("a recorded attempt", () => {
  it("comes back as it was, with its number", async () => {
    const history = openTempHistory();
    const full = sampleAttempt("dlv_a", {
      cause: "the handler answered 500",
      outcome: "rejected",
      status: 500,
      sentHeaders: ["X-Idempotency-Key", "k"],
      effects: { total: 3, changes: [{ source: "charges", inserted: 2, updated: 1, deleted: 0 }] },
    });
    const bare = sampleAttempt("dlv_a", {
      status: null,
      statusText: null,
      outcome: "refused",
      responseHeaders: null,
      responseBody: null,
    });
    history.recordAttempt(full);
    history.recordAttempt(bare);
    await history.flush();
    expect(history.attempts("dlv_a").map(withPlainBytes)).toEqual([
      { ...full, number: 1 },
      { ...bare, number: 2 },
    ]);
  });

  it("is numbered within its delivery from 1, and told so before it is committed", async () => {
    const history = openTempHistory();
    const numbers = ["a", "a", "b", "a"].map((id) => history.recordAttempt(sampleAttempt(id)));
    await history.flush();
    numbers.push(history.recordAttempt(sampleAttempt("a")));
    await history.flush();
    expect(numbers).toEqual([1, 2, 1, 3, 4]);
    expect(history.attempts("a").map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  });

  it("may be written before its delivery, whose body can still be on its way", async () => {
    const history = openTempHistory();
    const delivery = sampleDelivery();
    history.recordAttempt(sampleAttempt(delivery.id));
    await history.flush();
    history.recordDelivery(delivery);
    await history.flush();
    expect(history.list({ limit: 1 })).toMatchObject([
      { attempts: 1, lastStatus: 200, lastOutcome: "acknowledged" },
    ]);
  });

  it("gets a number of its own when two processes add to one delivery at once", async () => {
    const first = openTempHistory();
    const second = openTempHistory({ path: first.path });
    for (let count = 0; count < 20; count += 1) {
      first.recordAttempt(sampleAttempt("dlv_a"));
      second.recordAttempt(sampleAttempt("dlv_a"));
    }
    await Promise.all([first.flush(), second.flush()]);
    const numbers = first.attempts("dlv_a").map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });
});

describe("whether a delivery had effects on a target", () => {
  it("is true once a probe saw some there, on any attempt", async () => {
    const history = openTempHistory();
    const effects = { total: 1, changes: [{ source: "charges", inserted: 1, updated: 0, deleted: 0 }] };
    history.recordAttempt(sampleAttempt("dlv_a", { effects }));
    history.recordAttempt(sampleAttempt("dlv_a", { effects: { total: 0, changes: [] } }));
    history.recordAttempt(sampleAttempt("dlv_b", { effects: null }));
    await history.flush();
    expect(history.hadEffects("dlv_a", TARGET)).toBe(true);
    expect(history.hadEffects("dlv_a", "http://127.0.0.1:4000")).toBe(false);
    expect(history.hadEffects("dlv_b", TARGET)).toBe(false);
  });
});

describe("a run", () => {
  it("is written when it starts and again with its verdict", async () => {
    const history = openTempHistory();
    const run = {
      id: newRunId(SAMPLE_TIME),
      deliveryId: "dlv_a",
      kind: "resend",
      startedAt: SAMPLE_TIME,
    } as const;
    history.recordRun({ ...run, verdict: null });
    history.recordRun({ ...run, verdict: '{"result":"good"}' });
    await history.flush();
    const db = new Sqlite(history.path, { readonly: true });
    expect(db.prepare("SELECT verdict FROM runs").pluck().all()).toEqual(['{"result":"good"}']);
    db.close();
  });
});

describe("the list", () => {
  it("is newest first, as long as asked, with what the attempts came to", async () => {
    const history = openTempHistory();
    const [old, middle, newest] = [1, 2, 3].map((second) =>
      sampleDelivery({ receivedAt: SAMPLE_TIME + second * 1_000 }),
    );
    for (const delivery of [middle, newest, old]) {
      if (delivery) history.recordDelivery(delivery);
    }
    history.recordAttempt(sampleAttempt(newest?.id ?? "", { status: 200 }));
    history.recordAttempt(sampleAttempt(newest?.id ?? "", { status: 500, outcome: "rejected" }));
    await history.flush();
    const rows = history.list({ limit: 2 });
    expect(rows.map(({ id }) => id)).toEqual([newest?.id, middle?.id]);
    expect(rows[0]).toMatchObject({ attempts: 2, lastStatus: 500, lastOutcome: "rejected", bodySize: 14 });
    expect(rows[1]).toMatchObject({ attempts: 0, lastStatus: null, lastOutcome: null });
  });

  it("can be of one folder only", async () => {
    const history = openTempHistory();
    history.recordDelivery(sampleDelivery({ folder: "/a" }));
    history.recordDelivery(sampleDelivery({ folder: "/b" }));
    await history.flush();
    expect(history.list({ limit: 10, folder: "/b" }).map(({ folder }) => folder)).toEqual(["/b"]);
  });

  it("takes less than 50 ms, like every look-up, with a hundred thousand deliveries", () => {
    const history = openTempHistory();
    fill(history.path, 100_000);
    const look = {
      list: () => history.list({ limit: 50 }),
      folder: () => history.list({ limit: 50, folder: "/home/ada/shop" }),
      last: () => history.resolve("last~2", "/home/ada/shop"),
      key: () => history.resolve("evt_77777", "/"),
      prefix: () => history.resolve("dlv_0077777", "/"),
    };
    for (const [name, work] of Object.entries(look)) {
      work();
      const startedAt = performance.now();
      work();
      expect(performance.now() - startedAt, name).toBeLessThan(50);
    }
  });
});

/** Straight into the tables, because the way of a row does not matter here. */
function fill(path: string, count: number): void {
  const db = new Sqlite(path);
  db.pragma("synchronous = OFF");
  db.exec(`
    INSERT INTO bodies (id, sha256, bytes) VALUES (1, zeroblob(32), x'00');
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})
    INSERT INTO deliveries
    SELECT printf('dlv_%07d%025d', i, 0), i, CASE i % 3 WHEN 0 THEN 'dlv_x' END, 'POST', '/hook', '[]', 'stripe', 'x',
      'evt_' || i, 'provider', 'valid', 'http://127.0.0.1:3000', NULL, iif(i % 2, '/home/ada/shop', '/other'), NULL, 1, 1, 0
    FROM n;
    INSERT INTO attempts (id, delivery_id, number, trigger_kind, target, started_at, duration_ms, outcome)
    SELECT 'att_' || id, id, 1, 'live', target, received_at, 1.0, 'acknowledged' FROM deliveries;
  `);
  db.close();
}

function countRows(path: string, table: string): unknown {
  const db = new Sqlite(path, { readonly: true });
  try {
    return db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  } finally {
    db.close();
  }
}

function withPlainBytes(attempt: AttemptRecord): AttemptRecord {
  const { responseBody } = attempt;
  return responseBody === null
    ? attempt
    : { ...attempt, responseBody: { ...responseBody, bytes: new Uint8Array(responseBody.bytes) } };
}
