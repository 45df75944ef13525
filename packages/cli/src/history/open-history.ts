import { existsSync, statSync } from "node:fs";
import { posix, resolve, win32 } from "node:path";
import type Database from "better-sqlite3";
import { Sqlite } from "./sqlite-driver.ts";
import { isBusy, readOnlyHistoryError, withHistoryErrors } from "./history-errors.ts";
import { assertOurHistory, assertRegularFile, prepareHistoryFile } from "./history-file.ts";
import { HistoryReader } from "./history-reader.ts";
import type { HistoryStore } from "./history-store.ts";
import { BUSY_TIMEOUT_MS, HistoryWriter } from "./history-writer.ts";
import { SCHEMA_VERSION, migrate, readVersion } from "./migrations.ts";
import { SqliteHistory } from "./sqlite-history.ts";

export interface OpenHistoryOptions {
  readonly path: string;
  /** ms, of any clock; measures how long a lock of another process lasts. */
  readonly now?: () => number;
  /** Never writes; a missing file is an empty history. */
  readonly readonly?: boolean;
  /** Bytes of rows that may wait for the disk; beyond it new ones are refused. Default: `MAX_QUEUED_BYTES`. */
  readonly maxQueuedBytes?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens the history, and makes file and folder where they are missing. A file that is not ours is never changed.
 *
 * @throws CliError `db-unwritable`, `db-corrupt`, `db-newer`, `db-busy`, `disk-full`
 */
export function openHistory(options: OpenHistoryOptions): HistoryStore {
  // Absolute, because SQLite reads a meaning into names like `:memory:` and `file:x`.
  const path = resolve(options.path);
  return options.readonly === true ? openReadOnly(path) : openForWriting(path, options);
}

/** `--db`, else `TENFOLD_DB`, else the user's data directory. */
export function resolveHistoryPath(
  flag: string | undefined,
  env: Environment,
  home: string,
  platform: NodeJS.Platform = process.platform,
): string {
  const given = flag ?? nonEmpty(env["TENFOLD_DB"]);
  return given === undefined ? defaultHistoryPath(env, platform, home) : resolve(given);
}

/** Where the history is unless the user says otherwise: the platform's place for a program's data. */
export function defaultHistoryPath(env: Environment, platform: NodeJS.Platform, home: string): string {
  if (platform === "win32") {
    const data = nonEmpty(env["LOCALAPPDATA"]) ?? win32.join(home, "AppData", "Local");
    return win32.join(data, "tenfold", "history.db");
  }
  if (platform === "darwin") {
    return posix.join(home, "Library", "Application Support", "tenfold", "history.db");
  }
  // XDG Base Directory Specification: a relative value is to be ignored.
  const xdg = nonEmpty(env["XDG_DATA_HOME"]);
  const data = xdg !== undefined && posix.isAbsolute(xdg) ? xdg : posix.join(home, ".local", "share");
  return posix.join(data, "tenfold", "history.db");
}

function openForWriting(path: string, options: OpenHistoryOptions): HistoryStore {
  prepareHistoryFile(path);
  assertOurHistory(path);
  return withHistoryErrors(path, () => {
    const db = connect(path, (opened) => {
      untilFree(() => useWal(opened));
      opened.pragma("synchronous = NORMAL");
      untilFree(() => migrate(opened, path));
    });
    try {
      return new SqliteHistory(path, openReader(path), createWriter(db, path, options));
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function createWriter(db: Database.Database, path: string, options: OpenHistoryOptions): HistoryWriter {
  const { now = Date.now, maxQueuedBytes } = options;
  return new HistoryWriter(db, { path, now, ...(maxQueuedBytes === undefined ? {} : { maxQueuedBytes }) });
}

function openReadOnly(path: string): HistoryStore {
  return withHistoryErrors(path, () => {
    assertRegularFile(path);
    if (!existsSync(path) || statSync(path).size === 0) {
      const empty = new Sqlite(":memory:");
      migrate(empty, path);
      return new SqliteHistory(path, new HistoryReader(empty, path));
    }
    assertOurHistory(path);
    return new SqliteHistory(path, openReader(path));
  });
}

function openReader(path: string): HistoryReader {
  const db = connect(
    path,
    (opened) => {
      if (readVersion(opened, path) < SCHEMA_VERSION) {
        throw readOnlyHistoryError(path);
      }
    },
    { readonly: true },
  );
  return new HistoryReader(db, path);
}

/** Leaves no connection open when it can't be made ready. */
function connect(
  path: string,
  prepare: (db: Database.Database) => void,
  options: Database.Options = {},
): Database.Database {
  const db = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS, ...options });
  try {
    db.pragma("foreign_keys = ON");
    prepare(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function useWal(db: Database.Database): void {
  if (db.pragma("journal_mode", { simple: true }) !== "wal") {
    db.pragma("journal_mode = WAL");
  }
}

/** Between two tries to become the one that makes the file, in ms. */
const PAUSE_MS = 10;

/** SQLite does not wait where that could be a deadlock: when two processes make the file at once. */
function untilFree(work: () => void): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) {
        throw error;
      }
      Atomics.wait(pause, 0, 0, PAUSE_MS);
    }
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
