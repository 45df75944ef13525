import { rmSync } from "node:fs";
import { Sqlite } from "./sqlite-driver.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { HistoryWriter } from "./history-writer.ts";
import { sampleAttempt, sampleBody, sampleDelivery } from "./testing/sample-records.ts";
import { openTempHistory } from "./testing/temp-history.ts";

/** Another process's connection that holds the write lock until `release`. */
function holdWriteLock(path: string): { release(): void } {
  const db = new Sqlite(path);
  onTestFinished(() => {
    db.close();
  });
  db.exec("BEGIN IMMEDIATE");
  return { release: () => db.exec("COMMIT") };
}

describe("writing while another process holds the lock", () => {
  it("holds nobody up, and is done once the lock is gone", async () => {
    const history = openTempHistory();
    const errors: Error[] = [];
    history.onWriteError((error) => errors.push(error));
    const lock = holdWriteLock(history.path);
    const delivery = sampleDelivery();
    history.recordDelivery(delivery);
    const flushed = history.flush();

    await nextTurns(3);
    expect(history.get(delivery.id)).toBeUndefined();
    lock.release();
    await flushed;

    expect(history.get(delivery.id)?.id).toBe(delivery.id);
    expect(errors).toEqual([]);
  });

  it("becomes an error when the lock stays, and loses nothing: a later flush writes it", async () => {
    let time = 0;
    const history = openTempHistory({ now: () => (time += 3_000) });
    const errors: Error[] = [];
    history.onWriteError((error) => errors.push(error));
    const lock = holdWriteLock(history.path);
    const delivery = sampleDelivery();
    history.recordDelivery(delivery);

    await expect(history.flush()).rejects.toMatchObject({ code: "db-busy", exitCode: 8 });
    await expect(history.flush()).rejects.toMatchObject({ code: "db-busy" });
    expect(errors).toHaveLength(1);
    lock.release();
    await history.flush();

    expect(history.get(delivery.id)?.id).toBe(delivery.id);
  });

  it("is tried again without any call", async () => {
    const history = openTempHistory();
    const lock = holdWriteLock(history.path);
    history.recordDelivery(sampleDelivery());
    await nextTurns(3);
    lock.release();
    await expect.poll(() => history.list({ limit: 1 }).length).toBe(1);
  });

  it("ends with the error on close, so that nothing is lost silently", async () => {
    let time = 0;
    const history = openTempHistory({ now: () => (time += 3_000) });
    holdWriteLock(history.path);
    history.recordDelivery(sampleDelivery());
    await expect(history.close()).rejects.toMatchObject({ code: "db-busy" });
  });
});

describe("writing to a full disk", () => {
  it("keeps the rows, says so once, and writes them when there is room", async () => {
    const { path } = openTempHistory();
    const db = new Sqlite(path);
    const writer = new HistoryWriter(db, { path, now: Date.now });
    onTestFinished(() => writer.close());
    const errors: Error[] = [];
    writer.onError((error) => errors.push(error));
    // SQLite says SQLITE_FULL at this bound as it does on a full disk.
    db.pragma(`max_page_count = ${String(db.pragma("page_count", { simple: true }))}`);
    const delivery = sampleDelivery({ body: sampleBody("x".repeat(200_000)) });
    writer.enqueue({ kind: "delivery", delivery });

    await expect(writer.flush()).rejects.toMatchObject({ code: "disk-full", exitCode: 8 });
    await expect(writer.flush()).rejects.toMatchObject({ code: "disk-full" });
    expect(errors).toMatchObject([{ code: "disk-full" }]);
    db.pragma("max_page_count = 1000000");
    await writer.flush();

    expect(db.prepare("SELECT id, body_size FROM deliveries").all()).toEqual([
      { id: delivery.id, body_size: 200_000 },
    ]);
  });
});

describe("writing to a file that was deleted", () => {
  it("is an error, since nobody would ever find the rows there", async () => {
    const { path } = openTempHistory();
    const writer = new HistoryWriter(new Sqlite(path), { path, now: Date.now });
    rmSync(path);
    writer.enqueue({ kind: "delivery", delivery: sampleDelivery() });
    await expect(writer.flush()).rejects.toMatchObject({ code: "db-unwritable" });
    await expect(writer.close()).rejects.toMatchObject({ code: "db-unwritable" });
  });
});

describe("rows that wait", () => {
  it("are bounded: beyond the bound a new one is refused to the caller, and taken again when there is room", async () => {
    const history = openTempHistory({ maxQueuedBytes: 100_000 });
    const lock = holdWriteLock(history.path);
    const first = sampleDelivery({ body: sampleBody("x".repeat(90_000)) });
    const second = sampleDelivery({ body: sampleBody("y".repeat(90_000)) });
    history.recordDelivery(first);
    expect(() => history.recordDelivery(second)).toThrow(expect.objectContaining({ code: "db-busy" }));
    lock.release();
    await history.flush();
    history.recordDelivery(second);
    await history.flush();
    expect(history.list({ limit: 10 })).toHaveLength(2);
  });

  it("are committed in order, however many", async () => {
    const history = openTempHistory();
    const numbers = Array.from({ length: 1_200 }, () => history.recordAttempt(sampleAttempt("dlv_a")));
    await history.flush();
    expect(numbers.at(-1)).toBe(1_200);
    expect(history.attempts("dlv_a")).toHaveLength(1_200);
  });
});

describe("a row that can never be written", () => {
  it("is reported and left out, and the rows beside it are written", async () => {
    const history = openTempHistory();
    const errors: Error[] = [];
    history.onWriteError((error) => errors.push(error));
    const twice = sampleAttempt("dlv_a");
    history.recordAttempt(twice);
    history.recordAttempt(twice);
    history.recordAttempt(sampleAttempt("dlv_a"));
    await expect(history.flush()).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_PRIMARYKEY" });
    expect(errors).toHaveLength(1);
    expect(history.attempts("dlv_a")).toHaveLength(2);
  });
});

describe("a history that is cut off", () => {
  it("has every flushed row for the next one, without being closed", async () => {
    const history = openTempHistory();
    const delivery = sampleDelivery();
    history.recordDelivery(delivery);
    await history.flush();
    const next = openTempHistory({ path: history.path });
    expect(next.get(delivery.id)?.id).toBe(delivery.id);
  });
});

async function nextTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
