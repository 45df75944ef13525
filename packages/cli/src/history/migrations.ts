import type Database from "better-sqlite3";
import { foreignDatabaseError, newerDatabaseError } from "./history-errors.ts";

/** "TenF" in SQLite's header: this file is ours. */
export const APPLICATION_ID = 0x54656e46;

/**
 * Forward only: entry n brings a database from version n to n + 1. An entry that was ever released is never changed.
 *
 * `attempts` and `runs` do not reference `deliveries`: a live attempt may be written before its delivery, whose body can still
 * be on its way, and a batch must not be held up for ever by the order of its rows.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE bodies (
    id INTEGER PRIMARY KEY,
    sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
    bytes BLOB NOT NULL
  ) STRICT;

  CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    received_at INTEGER NOT NULL,
    replay_of TEXT,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    headers TEXT NOT NULL,
    provider TEXT,
    event TEXT,
    key TEXT NOT NULL,
    key_source TEXT NOT NULL,
    signature TEXT NOT NULL,
    target TEXT NOT NULL,
    idempotency_header TEXT,
    folder TEXT NOT NULL,
    tunnel TEXT,
    body_id INTEGER NOT NULL REFERENCES bodies (id),
    body_size INTEGER NOT NULL,
    body_truncated INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX deliveries_by_time ON deliveries (received_at, id);
  CREATE INDEX deliveries_by_folder ON deliveries (folder, received_at, id);
  CREATE INDEX deliveries_by_key ON deliveries (key, received_at, id);
  CREATE INDEX deliveries_by_body ON deliveries (body_id);
  CREATE INDEX received_by_time ON deliveries (received_at, id) WHERE replay_of IS NULL;
  CREATE INDEX received_by_folder ON deliveries (folder, received_at, id) WHERE replay_of IS NULL;

  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    delivery_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    verdict TEXT
  ) STRICT;
  CREATE INDEX runs_by_delivery ON runs (delivery_id);

  CREATE TABLE attempts (
    id TEXT PRIMARY KEY,
    delivery_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    run_id TEXT,
    trigger_kind TEXT NOT NULL,
    target TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    duration_ms REAL NOT NULL,
    status INTEGER,
    status_text TEXT,
    outcome TEXT NOT NULL,
    cause TEXT,
    response_headers TEXT,
    response_body_id INTEGER REFERENCES bodies (id),
    response_size INTEGER,
    response_truncated INTEGER,
    sent_headers TEXT,
    effects TEXT,
    effects_total INTEGER,
    UNIQUE (delivery_id, number)
  ) STRICT;
  CREATE INDEX attempts_by_body ON attempts (response_body_id) WHERE response_body_id IS NOT NULL;
  `,
];

/** The version that this code reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Brings the database to `SCHEMA_VERSION`, in one transaction: another process sees it before or after, never between.
 *
 * @throws CliError `db-newer`, or `db-corrupt` when it is another program's; nothing is changed then
 */
export function migrate(db: Database.Database, path: string): void {
  if (readVersion(db, path) === SCHEMA_VERSION) {
    return;
  }
  const upgrade = db.transaction(() => {
    // Read again under the write lock: another process may just have done it.
    for (const sql of MIGRATIONS.slice(readVersion(db, path))) {
      db.exec(sql);
    }
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  });
  upgrade.immediate();
}

/**
 * The schema's version; 0 for an empty database.
 *
 * @throws CliError `db-newer`, or `db-corrupt` when it is another program's
 */
export function readVersion(db: Database.Database, path: string): number {
  const applicationId = Number(db.pragma("application_id", { simple: true }));
  const version = Number(db.pragma("user_version", { simple: true }));
  const isEmpty = db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  if (applicationId !== APPLICATION_ID && !(applicationId === 0 && isEmpty)) {
    throw foreignDatabaseError(path);
  }
  if (version > SCHEMA_VERSION) {
    throw newerDatabaseError(path, version);
  }
  return version;
}
