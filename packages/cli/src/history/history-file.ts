import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Sqlite } from "./sqlite-driver.ts";
import {
  corruptDatabaseError,
  foreignDatabaseError,
  newerDatabaseError,
  notAFileError,
  withHistoryErrors,
} from "./history-errors.ts";
import { APPLICATION_ID, SCHEMA_VERSION, readVersion } from "./migrations.ts";

/** Captured webhooks hold personal data: for the user only. SQLite gives -wal and -shm the mode of the file. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** What is read of the header, in bytes (https://www.sqlite.org/fileformat2.html §1.3, then the first b-tree page's §1.6). */
const HEADER_BYTES = 108;
const MAGIC = Buffer.from("SQLite format 3\0", "latin1");
const USER_VERSION_OFFSET = 60;
const APPLICATION_ID_OFFSET = 68;
const PAGE_TYPE_OFFSET = 100;
const CELL_COUNT_OFFSET = 103;
const TABLE_LEAF = 0x0d;

/**
 * Sees to it that `path` is a file that SQLite may open for writing: makes it and its folder where they are missing.
 *
 * @throws CliError `db-unwritable`, `disk-full`
 */
export function prepareHistoryFile(path: string): void {
  withHistoryErrors(path, () => {
    makeFolder(dirname(path));
    if (!existsSync(path)) {
      createFile(path);
      return;
    }
    assertRegularFile(path);
    if (statSync(path).size === 0) {
      chmodSync(path, FILE_MODE);
    }
  });
}

/** A pipe, above all: to open one would wait for ever. A missing file is fine. @throws CliError `db-unwritable` */
export function assertRegularFile(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() === false) {
    throw notAFileError(path, stat.isDirectory());
  }
}

/** Step by step: Node's recursive `mkdir` never returns below a folder that takes none, such as /proc. */
function makeFolder(folder: string): void {
  if (!existsSync(folder)) {
    makeFolder(dirname(folder));
    unlessThere(folder, () => mkdirSync(folder, FOLDER_MODE));
  }
}

function createFile(path: string): void {
  unlessThere(path, () => closeSync(openSync(path, "wx", FILE_MODE)));
}

/** Another process may make it at the same moment, which is just as well. */
function unlessThere(path: string, make: () => void): void {
  try {
    make();
  } catch (error) {
    if (!existsSync(path)) {
      throw error;
    }
  }
}

/**
 * Refuses a file that is not ours, without a change to it: opened for writing, SQLite would move its log into it.
 *
 * @throws CliError `db-corrupt`, `db-newer`, `db-unwritable`
 */
export function assertOurHistory(path: string): void {
  withHistoryErrors(path, () => {
    if (existsSync(`${path}-wal`)) {
      inspectWithSqlite(path);
    } else {
      inspectHeader(path);
    }
  });
}

/** With a log beside it the file alone may be out of date. */
function inspectWithSqlite(path: string): void {
  const db = new Sqlite(path, { readonly: true });
  try {
    readVersion(db, path);
  } finally {
    db.close();
  }
}

/**
 * Without a log the file says it all. Read as plain bytes, because SQLite would leave a log beside another program's
 * database. Safe only now: to close a file ends all locks that this process has on it, and an open history has a log.
 */
function inspectHeader(path: string): void {
  const header = readHeader(path);
  if (header.length === 0) {
    return;
  }
  if (header.length < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw corruptDatabaseError(path);
  }
  const applicationId = header.readUInt32BE(APPLICATION_ID_OFFSET);
  const version = header.readUInt32BE(USER_VERSION_OFFSET);
  const isEmpty = header[PAGE_TYPE_OFFSET] === TABLE_LEAF && header.readUInt16BE(CELL_COUNT_OFFSET) === 0;
  if (applicationId !== APPLICATION_ID && !(applicationId === 0 && isEmpty)) {
    throw foreignDatabaseError(path);
  }
  if (version > SCHEMA_VERSION) {
    throw newerDatabaseError(path, version);
  }
}

function readHeader(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    return header.subarray(0, readSync(file, header, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(file);
  }
}
