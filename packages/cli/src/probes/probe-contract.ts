import { describe, expect, it } from "vitest";
import type { Probe, ProbeSnapshot } from "./probe.ts";

/** A database of its own for one test, and a handler's connection to it. */
export interface ProbeFixture {
  readonly openProbe: () => Promise<Probe>;
  /** Runs statements as the handler would, and commits. */
  readonly execute: (sql: string) => Promise<void>;
}

/** What holds for a probe on any database. `create` makes a fixture that ends with its test. */
export function probeContract(database: string, create: () => Promise<ProbeFixture>): void {
  describe(`a probe on ${database}`, () => {
    it("sees inserted, updated and deleted rows by table", async () => {
      const { probe, execute } = await openShop(create);
      const changes = await watch(probe, () =>
        execute(`
          INSERT INTO charges (id, amount) VALUES (10, 1);
          INSERT INTO charges (id, amount) VALUES (11, 1);
          UPDATE charges SET amount = 99 WHERE id = 1;
          DELETE FROM charges WHERE id = 2;
          UPDATE orders SET state = 'paid' WHERE id = 1;
        `),
      );
      expect(changes).toEqual({
        total: 5,
        changes: [
          { source: "charges", inserted: 2, updated: 1, deleted: 1 },
          { source: "orders", inserted: 0, updated: 1, deleted: 0 },
        ],
      });
    });

    it("sees nothing when nothing is written, or what is written is the same", async () => {
      const { probe, execute } = await openShop(create);
      expect(await watch(probe, async () => {})).toEqual({ total: 0, changes: [] });
      expect(await watch(probe, () => execute("UPDATE charges SET amount = amount"))).toEqual({
        total: 0,
        changes: [],
      });
    });

    it("sees nothing of what is taken back", async () => {
      const { probe, execute } = await openShop(create);
      const changes = await watch(probe, () => execute("BEGIN; DELETE FROM charges; ROLLBACK"));
      expect(changes.total).toBe(0);
    });

    it("takes the rows of a new table as inserted, and those of a dropped one as deleted", async () => {
      const { probe, execute } = await openShop(create);
      const made = await watch(probe, () =>
        execute("CREATE TABLE events (id INTEGER PRIMARY KEY); INSERT INTO events (id) VALUES (1)"),
      );
      expect(made.changes).toEqual([{ source: "events", inserted: 1, updated: 0, deleted: 0 }]);
      const dropped = await watch(probe, () => execute("DROP TABLE charges"));
      expect(dropped.changes).toEqual([{ source: "charges", inserted: 0, updated: 0, deleted: 3 }]);
    });

    it("tells NULL from an empty text and a number from its text", async () => {
      const { probe, execute } = await openShop(create);
      const changes = await watch(probe, () => execute("UPDATE orders SET state = '' WHERE state IS NULL"));
      expect(changes.changes).toEqual([{ source: "orders", inserted: 0, updated: 1, deleted: 0 }]);
    });

    it("compares any two of its snapshots, in either direction", async () => {
      const { probe, execute } = await openShop(create);
      const first = await probe.snapshot();
      await execute("INSERT INTO charges (id, amount) VALUES (10, 1)");
      const second = await probe.snapshot();
      await execute("INSERT INTO charges (id, amount) VALUES (11, 1)");
      const third = await probe.snapshot();
      expect([first, second].map((earlier) => third.changesSince(earlier).total)).toEqual([2, 1]);
      expect(first.changesSince(third).changes).toEqual([
        { source: "charges", inserted: 0, updated: 0, deleted: 2 },
      ]);
    });

    it("names the tables that it watches", async () => {
      const { probe } = await openShop(create);
      expect(sorted((await probe.snapshot()).sources)).toEqual(["charges", "orders"]);
    });

    it("holds no lock between two snapshots: the handler writes while the probe is open", async () => {
      const { probe, execute } = await openShop(create);
      const snapshots: ProbeSnapshot[] = [];
      for (const id of [20, 21, 22]) {
        snapshots.push(await probe.snapshot());
        await execute(`INSERT INTO charges (id, amount) VALUES (${id}, 1)`);
      }
      expect((await probe.snapshot()).changesSince(snapshots[0] ?? (await probe.snapshot())).total).toBe(3);
    });

    it("takes snapshots that are asked for at once one after the other", async () => {
      const { probe } = await openShop(create);
      const [first, second] = await Promise.all([probe.snapshot(), probe.snapshot()]);
      expect(first.changesSince(second).total).toBe(0);
    });

    it("can be closed twice", async () => {
      const { probe } = await openShop(create);
      await probe.close();
      await expect(probe.close()).resolves.toBeUndefined();
    });
  });
}

async function openShop(
  create: () => Promise<ProbeFixture>,
): Promise<ProbeFixture & { readonly probe: Probe }> {
  const fixture = await create();
  await fixture.execute(`
    CREATE TABLE charges (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, state VARCHAR(20));
    INSERT INTO charges (id, amount) VALUES (1, 10), (2, 20), (3, 30);
    INSERT INTO orders (id, state) VALUES (1, 'open'), (2, NULL);
  `);
  return { ...fixture, probe: await fixture.openProbe() };
}

async function watch(probe: Probe, work: () => Promise<void>) {
  const before = await probe.snapshot();
  await work();
  return (await probe.snapshot()).changesSince(before);
}

function sorted(names: readonly string[]): string[] {
  return [...names].sort();
}
