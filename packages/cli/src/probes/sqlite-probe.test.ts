import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { Sqlite } from "../history/sqlite-driver.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTempFolder } from "../history/testing/temp-folder.ts";
import { probeContract } from "./probe-contract.ts";
import { openProbe, parseProbeSpec } from "./probe-spec.ts";
import type { Probe } from "./probe.ts";
import { openSqliteProbe } from "./sqlite-probe.ts";
import type { SqliteProbeOptions } from "./sqlite-probe.ts";

interface Shop {
  readonly folder: string;
  readonly path: string;
  readonly db: Database.Database;
  readonly openProbe: (options?: SqliteProbeOptions) => Promise<Probe>;
}

function createShop(mode: "wal" | "delete" = "wal", sql = ""): Shop {
  const folder = createTempFolder();
  const path = join(folder, "shop.db");
  const db = new Sqlite(path);
  db.pragma(`journal_mode = ${mode}`);
  db.exec(sql);
  onTestFinished(() => {
    db.close();
  });
  return {
    folder,
    path,
    db,
    async openProbe(options) {
      const probe = await openSqliteProbe(parseProbeSpec("sqlite:shop.db", folder), options);
      onTestFinished(() => probe.close());
      return probe;
    },
  };
}

for (const mode of ["wal", "delete"] as const) {
  probeContract(`SQLite (journal: ${mode})`, async () => {
    const { db, openProbe: open } = createShop(mode);
    return {
      openProbe: open,
      execute: async (sql) => {
        db.exec(sql);
      },
    };
  });
}

async function changes(probe: Probe, work: () => unknown) {
  const before = await probe.snapshot();
  work();
  return (await probe.snapshot()).changesSince(before);
}

describe("a row", () => {
  it("is told apart by its primary key in a table without rowid", async () => {
    const { db, openProbe: open } = createShop(
      "wal",
      "CREATE TABLE k (a TEXT, b INTEGER, v, PRIMARY KEY (b, a)) WITHOUT ROWID; INSERT INTO k VALUES ('x', 1, 1), ('y', 1, 1)",
    );
    const seen = await changes(await open(), () =>
      db.exec(
        "UPDATE k SET v = 2 WHERE a = 'x'; INSERT INTO k VALUES ('x', 2, 1); DELETE FROM k WHERE a = 'y'",
      ),
    );
    expect(seen.changes).toEqual([{ source: "k", inserted: 1, updated: 1, deleted: 1 }]);
  });

  it("is told apart by its rowid also where columns have its names", async () => {
    const { db, openProbe: open } = createShop("wal", "CREATE TABLE t (rowid TEXT, _ROWID_ TEXT)");
    const seen = await changes(await open(), () => db.exec("INSERT INTO t VALUES ('a', 'a'), ('a', 'a')"));
    expect(seen.changes).toEqual([{ source: "t", inserted: 2, updated: 0, deleted: 0 }]);
  });

  it("still is seen to change where its table hides the rowid", async () => {
    const { db, openProbe: open } = createShop(
      "wal",
      "CREATE TABLE t (rowid, _rowid_, oid); INSERT INTO t VALUES (1, 1, 1)",
    );
    const probe = await open();
    expect((await changes(probe, () => db.exec("UPDATE t SET oid = 2"))).changes).toMatchObject([
      { source: "t", updated: 1, approximate: true },
    ]);
  });

  it.each([
    ["9007199254740993", "9007199254740992"],
    ["1", "'1'"],
    ["1", "1.0"],
    ["'ab'", "x'6162'"],
    ["NULL", "''"],
    ["0.1", "0.30000000000000004 - 0.2"],
    ["'a' || char(0) || 'b'", "'a' || char(0) || 'c'"],
  ])("changes when %s becomes %s", async (before, after) => {
    const { db, openProbe: open } = createShop("wal", `CREATE TABLE t (v); INSERT INTO t VALUES (${before})`);
    expect((await changes(await open(), () => db.exec(`UPDATE t SET v = ${after}`))).changes).toEqual([
      { source: "t", inserted: 0, updated: 1, deleted: 0 },
    ]);
  });

  it("with the largest rowid is read exactly", async () => {
    const { db, openProbe: open } = createShop("wal", "CREATE TABLE t (id INTEGER PRIMARY KEY)");
    const seen = await changes(await open(), () =>
      db.exec("INSERT INTO t VALUES (9223372036854775807), (9223372036854775806), (-9223372036854775808)"),
    );
    expect(seen.total).toBe(3);
  });

  it("does not move between columns unseen", async () => {
    const { db, openProbe: open } = createShop(
      "wal",
      "CREATE TABLE t (a, b); INSERT INTO t VALUES ('x,ty', 'z')",
    );
    expect((await changes(await open(), () => db.exec("UPDATE t SET a = 'x', b = 'y,tz'"))).total).toBe(1);
  });
});

describe("the tables that are watched", () => {
  it("are the handler's own and those that a full text index keeps its contents in, not views or SQLite's", async () => {
    const { db, openProbe: open } = createShop(
      "wal",
      `CREATE TABLE "odd ""name" (id INTEGER PRIMARY KEY AUTOINCREMENT, v, twice AS (v * 2));
       CREATE TABLE sqliteish (v);
       CREATE VIEW seen AS SELECT 1;
       CREATE VIRTUAL TABLE search USING fts5 (words);`,
    );
    const probe = await open();
    expect((await probe.snapshot()).sources).toEqual([
      'odd "name',
      "search_config",
      "search_content",
      "search_data",
      "search_docsize",
      "search_idx",
      "sqliteish",
    ]);
    const seen = await changes(probe, () =>
      db.exec(`INSERT INTO "odd ""name" (v) VALUES (1); INSERT INTO search VALUES ('x')`),
    );
    expect(seen.changes).toContainEqual({ source: 'odd "name', inserted: 1, updated: 0, deleted: 0 });
    expect(seen.changes).toContainEqual({ source: "search_content", inserted: 1, updated: 0, deleted: 0 });
  });

  it("show no change when a row is only written anew with the same contents", async () => {
    const { db, openProbe: open } = createShop(
      "wal",
      "CREATE TABLE inv (id TEXT PRIMARY KEY, v); INSERT INTO inv VALUES ('a', 1), ('b', 2)",
    );
    const probe = await open();
    expect(
      (await changes(probe, () => db.exec("INSERT OR REPLACE INTO inv VALUES ('a', 1)"))).changes,
    ).toEqual([]);
    expect(
      (await changes(probe, () => db.exec("INSERT OR REPLACE INTO inv VALUES ('a', 9)"))).total,
    ).toBeGreaterThan(0);
  });

  it("are read again when the file was rewritten in place with its change counter kept", async () => {
    const folder = createTempFolder();
    const file = join(folder, "shop.db");
    const memory = new Sqlite(":memory:");
    memory.exec("CREATE TABLE charges (v)");
    writeFileSync(file, memory.serialize());
    const probe = await openProbe(parseProbeSpec("sqlite:shop.db", folder));
    onTestFinished(() => probe.close());
    for (const count of [1, 2, 3]) {
      const before = await probe.snapshot();
      memory.exec("INSERT INTO charges VALUES (1)");
      writeFileSync(file, memory.serialize());
      expect((await probe.snapshot()).changesSince(before).total, `rewrite ${count}`).toBe(1);
    }
    memory.close();
  });

  it("are none in an empty file", async () => {
    const folder = createTempFolder();
    writeFileSync(join(folder, "empty.db"), "");
    const probe = await openProbe(parseProbeSpec("sqlite:empty.db", folder));
    onTestFinished(() => probe.close());
    expect((await probe.snapshot()).sources).toEqual([]);
    const db = new Sqlite(join(folder, "empty.db"));
    const seen = await changes(probe, () => db.exec("CREATE TABLE t (v); INSERT INTO t VALUES (1)"));
    db.close();
    expect(seen.total).toBe(1);
  });
});

describe("a table with more rows than are compared one by one", () => {
  const setUp = "CREATE TABLE t (v); INSERT INTO t VALUES (1), (2), (3), (4)";

  it.each([
    ["INSERT INTO t VALUES (5), (6)", { inserted: 2, updated: 0, deleted: 0 }],
    ["DELETE FROM t WHERE v = 2", { inserted: 0, updated: 0, deleted: 1 }],
    ["UPDATE t SET v = 9 WHERE v = 2", { inserted: 0, updated: 1, deleted: 0 }],
    [
      "UPDATE t SET v = CASE v WHEN 1 THEN 2 WHEN 2 THEN 1 ELSE v END",
      { inserted: 0, updated: 1, deleted: 0 },
    ],
  ])("never hides a change, and says that it is approximate: %s", async (sql, expected) => {
    const { db, openProbe: open } = createShop("wal", setUp);
    const seen = await changes(await open({ maxRowsByKey: 3 }), () => db.exec(sql));
    expect(seen.changes).toEqual([{ source: "t", approximate: true, ...expected }]);
  });

  it("is unchanged when nothing is written to it", async () => {
    const { db, openProbe: open } = createShop("wal", `${setUp}; CREATE TABLE other (v)`);
    const seen = await changes(await open({ maxRowsByKey: 3 }), () =>
      db.exec("INSERT INTO other VALUES (1)"),
    );
    expect(seen.changes).toEqual([{ source: "other", inserted: 1, updated: 0, deleted: 0 }]);
  });

  it("may have grown between the two snapshots", async () => {
    const { db, openProbe: open } = createShop("wal", "CREATE TABLE t (v); INSERT INTO t VALUES (1), (2)");
    const seen = await changes(await open({ maxRowsByKey: 3 }), () =>
      db.exec("INSERT INTO t VALUES (3), (4)"),
    );
    expect(seen.changes).toEqual([{ source: "t", inserted: 2, updated: 0, deleted: 0, approximate: true }]);
  });
});

describe("a table that takes several turns to read", () => {
  const rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)";

  it("is of one moment, whatever is written meanwhile, and whoever else asks", async () => {
    const { db, openProbe: open } = createShop(
      "wal",
      `CREATE TABLE t (v); ${rows} INSERT INTO t SELECT i FROM n`,
    );
    const probe = await open();
    const before = await probe.snapshot();
    db.exec("INSERT INTO t VALUES (0)");
    const asked = [probe.snapshot(), probe.snapshot()];
    setImmediate(() => db.exec("DELETE FROM t WHERE v > 10"));
    const [first, second] = await Promise.all(asked);
    expect(first?.changesSince(before).total).toBe(1);
    expect([1, 4_991]).toContain(second?.changesSince(before).total);
    expect((await probe.snapshot()).changesSince(before).total).toBe(4_991);
  });
});

describe("an unchanged database", () => {
  it("is not read again", async () => {
    const { db, openProbe: open } = createShop("wal", "CREATE TABLE t (v)");
    const probe = await open();
    const first = await probe.snapshot();
    expect(await probe.snapshot()).toBe(first);
    db.exec("INSERT INTO t VALUES (1)");
    expect(await probe.snapshot()).not.toBe(first);
  });
});

describe("the handler", () => {
  it("can checkpoint its log while the probe is open", async () => {
    const { db, openProbe: open } = createShop("wal", "CREATE TABLE t (v)");
    const probe = await open();
    await probe.snapshot();
    db.exec("INSERT INTO t VALUES (1)");
    expect(db.pragma("wal_checkpoint(TRUNCATE)")).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
  });

  it("can change the journal mode of a database without log while the probe is open", async () => {
    const { db, openProbe: open } = createShop("delete", "CREATE TABLE t (v)");
    const probe = await open();
    expect(db.pragma("journal_mode = WAL", { simple: true })).toBe("wal");
    db.exec("INSERT INTO t VALUES (1)");
    expect((await probe.snapshot()).sources).toEqual(["t"]);
  });

  it("may replace the file between two snapshots", async () => {
    const {
      folder,
      path,
      openProbe: open,
    } = createShop("delete", "CREATE TABLE t (v); INSERT INTO t VALUES (1)");
    const probe = await open();
    const seen = await changes(probe, () => {
      const next = new Sqlite(join(folder, "next.db"));
      next.exec("CREATE TABLE t (v); INSERT INTO t VALUES (1), (2)");
      next.close();
      renameSync(join(folder, "next.db"), path);
    });
    expect(seen.changes).toEqual([{ source: "t", inserted: 1, updated: 0, deleted: 0 }]);
  });

  it("is waited for while it keeps the database locked", async () => {
    const { db, openProbe: open } = createShop("delete", "CREATE TABLE t (v)");
    const probe = await open();
    const before = await probe.snapshot();
    db.exec("BEGIN EXCLUSIVE; INSERT INTO t VALUES (1)");
    const snapshot = probe.snapshot();
    setImmediate(() => db.exec("COMMIT"));
    expect((await snapshot).changesSince(before).total).toBe(1);
  });
});

describe("a probe that can't look", () => {
  it("fails when the file is missing, names it, and makes none", async () => {
    const folder = createTempFolder();
    await expect(openProbe(parseProbeSpec("sqlite:none.db", folder))).rejects.toMatchObject({
      code: "probe-failed",
      exitCode: 6,
      message: expect.stringContaining(join(folder, "none.db")) as unknown,
      hint: expect.stringContaining("handler") as unknown,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(["", "not a database ".repeat(1_000)])(
    "fails on a folder or a file of another kind",
    async (content) => {
      const folder = createTempFolder();
      if (content !== "") writeFileSync(join(folder, "file"), content);
      await expect(
        openProbe(parseProbeSpec(content === "" ? "sqlite:." : "sqlite:file", folder)),
      ).rejects.toMatchObject({
        code: "probe-failed",
      });
    },
  );

  it("fails when the database stays locked", async () => {
    const { db, openProbe: open } = createShop("delete", "CREATE TABLE t (v)");
    const probe = await open({ lockTimeoutMs: 30 });
    db.exec("BEGIN EXCLUSIVE");
    await expect(probe.snapshot()).rejects.toMatchObject({
      code: "probe-failed",
      message: expect.stringContaining("locked") as unknown,
    });
    db.exec("COMMIT");
    expect((await probe.snapshot()).sources).toEqual(["t"]);
  });
});
