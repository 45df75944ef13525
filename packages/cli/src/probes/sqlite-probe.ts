import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type Database from "better-sqlite3";
import { Sqlite } from "../history/sqlite-driver.ts";
import { CliError } from "../errors.ts";
import type { Effects } from "../history/history-store.ts";
import { visible } from "../output/visible-text.ts";
import type { Probe, ProbeSnapshot, ProbeSpec } from "./probe.ts";
import { MAX_ROWS_BY_KEY, readTables } from "./sqlite-tables.ts";
import { EMPTY_TABLE, compareTables } from "./table-snapshot.ts";
import type { TableSnapshot } from "./table-snapshot.ts";

/** How long the handler may keep its database locked, in ms. */
const LOCK_TIMEOUT_MS = 5_000;
/** Pause between two looks at a locked database, in ms. */
const LOCK_RETRY_MS = 20;

export interface SqliteProbeOptions {
  /** Tables with more rows are compared as a whole; see `SourceChange.approximate`. */
  readonly maxRowsByKey?: number;
  /** ms. */
  readonly lockTimeoutMs?: number;
}

/**
 * Watches a SQLite database, in any journal mode. Opens it for reading only and never makes a file; in WAL mode SQLite itself
 * may leave an empty `-wal` and `-shm` beside a database that nobody else has open. A virtual table (full text
 * search) is seen by the tables that it keeps its contents in.
 *
 * @throws CliError `probe-failed`: no such file, not a database, locked for too long
 */
export async function openSqliteProbe(spec: ProbeSpec, options: SqliteProbeOptions = {}): Promise<Probe> {
  const probe = new SqliteProbe(spec, options);
  try {
    // Reads what has to be read for the first snapshot anyway, so that a wrong file is told before anything is sent.
    await probe.snapshot();
  } catch (error) {
    await probe.close();
    throw error;
  }
  return probe;
}

/** An open file, known by its identity: a handler that is started again may have replaced it. */
interface OpenFile {
  readonly db: Database.Database;
  readonly identity: string;
}

interface TakenSnapshot {
  /** Of `PRAGMA data_version`, which changes with every commit by another connection. */
  readonly dataVersion: unknown;
  readonly snapshot: SqliteSnapshot;
}

class SqliteProbe implements Probe {
  readonly name: string;
  readonly #path: string;
  readonly #maxRowsByKey: number;
  readonly #lockTimeoutMs: number;
  #file: OpenFile | undefined;
  #last: TakenSnapshot | undefined;
  /** One at a time on the connection. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(spec: ProbeSpec, options: SqliteProbeOptions) {
    this.name = spec.name;
    this.#path = spec.path;
    this.#maxRowsByKey = options.maxRowsByKey ?? MAX_ROWS_BY_KEY;
    this.#lockTimeoutMs = options.lockTimeoutMs ?? LOCK_TIMEOUT_MS;
  }

  async snapshot(): Promise<ProbeSnapshot> {
    const taken = this.#takeAfter(this.#turn);
    this.#turn = taken;
    return taken;
  }

  async close(): Promise<void> {
    await settled(this.#turn);
    this.#closeFile();
  }

  async #takeAfter(earlier: Promise<unknown>): Promise<SqliteSnapshot> {
    await settled(earlier);
    const deadline = performance.now() + this.#lockTimeoutMs;
    for (;;) {
      try {
        return await this.#take();
      } catch (error) {
        if (!isLocked(error) || performance.now() >= deadline) {
          throw probeFailed(this, this.#path, error);
        }
        await sleep(LOCK_RETRY_MS);
      }
    }
  }

  async #take(): Promise<SqliteSnapshot> {
    const { db } = this.#openFile();
    // One transaction, so that all tables are of one moment. It ends at once: an open one would hold up checkpoints.
    db.exec("BEGIN");
    try {
      const dataVersion = db.pragma("data_version", { simple: true });
      if (this.#last === undefined || this.#last.dataVersion !== dataVersion) {
        const tables = await readTables(db, this.#maxRowsByKey);
        this.#last = { dataVersion, snapshot: new SqliteSnapshot(tables) };
      }
      return this.#last.snapshot;
    } finally {
      if (db.inTransaction) {
        db.exec("ROLLBACK");
      }
    }
  }

  #openFile(): OpenFile {
    const identity = identityOf(this.#path);
    if (this.#file?.identity !== identity) {
      this.#closeFile();
      // No time-out of SQLite's own: it would hold up everything else in this process.
      this.#file = { db: new Sqlite(this.#path, { readonly: true, timeout: 0 }), identity };
    }
    return this.#file;
  }

  #closeFile(): void {
    this.#file?.db.close();
    this.#file = undefined;
    this.#last = undefined;
  }
}

class SqliteSnapshot implements ProbeSnapshot {
  readonly #tables: ReadonlyMap<string, TableSnapshot>;

  constructor(tables: ReadonlyMap<string, TableSnapshot>) {
    this.#tables = tables;
  }

  get sources(): readonly string[] {
    return [...this.#tables.keys()];
  }

  changesSince(earlier: ProbeSnapshot): Effects {
    if (!(earlier instanceof SqliteSnapshot)) {
      throw new TypeError("snapshots of two different kinds of probe can't be compared");
    }
    const names = new Set([...earlier.#tables.keys(), ...this.#tables.keys()]);
    const changes = [...names].flatMap((name) => {
      const before = earlier.#tables.get(name) ?? EMPTY_TABLE;
      return compareTables(name, before, this.#tables.get(name) ?? EMPTY_TABLE) ?? [];
    });
    const total = changes.reduce(
      (sum, { inserted, updated, deleted }) => sum + inserted + updated + deleted,
      0,
    );
    return { total, changes };
  }
}

/** BUSY: locked by another process. READONLY: a log that an interrupted writer left is repaired when the handler comes back. */
function isLocked(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && /^SQLITE_(?:BUSY|READONLY)(?:_|$)/u.test(error.code);
}

/** What the system says of a folder; SQLite says nothing that would fit. */
const NOT_A_FILE = "EISDIR";

/** @throws an error with the code `NOT_A_FILE` for a folder, a pipe or a device: to open a pipe would wait for ever */
function identityOf(path: string): string {
  const stat = statSync(path, { bigint: true });
  if (!stat.isFile()) {
    throw Object.assign(new Error("not a regular file"), { code: NOT_A_FILE });
  }
  // Size and time as well: a file that is rewritten in place can keep SQLite's change counter, and its cache would be believed.
  return `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}

function probeFailed(probe: Probe, path: string, error: unknown): unknown {
  const found = describe(error, path);
  return (
    found &&
    new CliError("probe-failed", `The probe ${visible(probe.name)} failed: ${found.why}.`, {
      hint: found.hint,
      cause: error,
    })
  );
}

interface Failure {
  readonly why: string;
  readonly hint: string;
}

function describe(error: unknown, path: string): Failure | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const file = visible(path);
  if (code === "ENOENT" || code === "ENOTDIR") {
    const hint =
      "Give the file that the handler writes to, relative to this folder; start the handler first if it makes it.";
    return { why: `there is no file ${file}`, hint };
  }
  const hint = "Give the database file that the handler writes to.";
  if (code === NOT_A_FILE) {
    return { why: `${file} is not a regular file`, hint };
  }
  if (/^SQLITE_(?:NOTADB|CORRUPT)/u.test(code)) {
    return { why: `${file} is no SQLite database, or damaged`, hint };
  }
  if (code.startsWith("SQLITE_BUSY")) {
    return {
      why: `${file} stayed locked`,
      hint: "Another program keeps it locked for writing; end it or its transaction.",
    };
  }
  if (code.startsWith("SQLITE_READONLY")) {
    const wait = "Start the handler: it repairs the database when it opens it.";
    return { why: `${file} was left in the middle of a write`, hint: wait };
  }
  return {
    why: `${file} can't be read (${code === "" ? String(error) : code})`,
    hint: `${hint} Check its rights.`,
  };
}

async function settled(promise: Promise<unknown>): Promise<void> {
  await Promise.allSettled([promise]);
}
