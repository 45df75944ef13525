import { Sqlite } from "./sqlite-driver.ts";
import { CliError } from "../errors.ts";
import type { CliErrorCode } from "../errors.ts";

const OTHER_FILE = "Use another file with --db FILE or TENFOLD_DB.";

interface Wording {
  readonly code: CliErrorCode;
  readonly why: string;
  readonly hint: string;
}

const CORRUPT: Wording = {
  code: "db-corrupt",
  why: "it is damaged, or no SQLite database",
  hint: `The file is left as it is. Restore a copy of it, or move it away, or: ${OTHER_FILE}`,
};
const BUSY: Wording = {
  code: "db-busy",
  why: "another process keeps it locked",
  hint: "End the program that holds the file, then try again.",
};
const FULL: Wording = {
  code: "disk-full",
  why: "the disk is full",
  hint: "Free some space; what is not written yet is kept in memory and tried again.",
};
const UNWRITABLE: Wording = {
  code: "db-unwritable",
  why: "it cannot be opened for writing",
  hint: `Check the rights of the file and its folder. ${OTHER_FILE}`,
};
const DISK_ERROR: Wording = { ...UNWRITABLE, why: "the disk reports an error" };

/** By primary result code (https://www.sqlite.org/rescode.html); extended codes begin with it. */
const WORDINGS: ReadonlyMap<string, Wording> = new Map([
  ["NOTADB", CORRUPT],
  ["CORRUPT", CORRUPT],
  ["BUSY", BUSY],
  ["LOCKED", BUSY],
  ["FULL", FULL],
  ["IOERR", DISK_ERROR],
  ["CANTOPEN", UNWRITABLE],
  ["READONLY", UNWRITABLE],
  ["PERM", UNWRITABLE],
  ["AUTH", UNWRITABLE],
]);

const FILE_CAUSES: ReadonlyMap<string, string> = new Map([
  ["EACCES", "permission is denied"],
  ["EPERM", "permission is denied"],
  ["EROFS", "the file system is read-only"],
  ["EISDIR", "it is a folder"],
  ["ENOTDIR", "a part of its path is a file"],
  ["EEXIST", "a part of its path is a file"],
  ["ENOENT", "its folder cannot be made"],
  ["ELOOP", "its path goes round in a circle of links"],
  ["ENAMETOOLONG", "its path is too long"],
]);

/** The failure in the user's words; undefined when the error is no state of the file, but a bug. */
export function toHistoryError(error: unknown, path: string): CliError | undefined {
  if (error instanceof CliError) {
    return error;
  }
  const wording = wordingOf(error);
  return wording && describe(wording, path, error);
}

/** Runs `work` with SQLite's and the file system's errors in the user's words. @throws CliError */
export function withHistoryErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toHistoryError(error, path) ?? error;
  }
}

/** A file that is a database, and not ours to touch. */
export function foreignDatabaseError(path: string): CliError {
  return describe({ ...CORRUPT, why: "it is a database of another program", hint: OTHER_FILE }, path);
}

/** A file that SQLite can't read. */
export function corruptDatabaseError(path: string): CliError {
  return describe(CORRUPT, path);
}

/** A history that this version can't read. */
export function newerDatabaseError(path: string, version: number): CliError {
  const why = `a newer version of Tenfold wrote it (its schema is version ${version})`;
  return describe(
    { code: "db-newer", why, hint: `Upgrade Tenfold (npm install -g tenfold). ${OTHER_FILE}` },
    path,
  );
}

/** A folder, or a pipe or device, which could block for ever. */
export function notAFileError(path: string, isFolder: boolean): CliError {
  return describe({ ...UNWRITABLE, why: isFolder ? "it is a folder" : "it is not a regular file" }, path);
}

/** The file was deleted or replaced while it was in use. */
export function removedDatabaseError(path: string): CliError {
  const why = "it was deleted or replaced while it was in use";
  return describe({ ...UNWRITABLE, why, hint: "Start the command again: it makes a new one." }, path);
}

/** A write to a history that was opened for reading. */
export function readOnlyHistoryError(path: string): CliError {
  return describe({ ...UNWRITABLE, why: "it is opened for reading only" }, path);
}

/** SQLite's BUSY: it may be over in a moment. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === "BUSY";
}

function describe({ code, why, hint }: Wording, path: string, cause?: unknown): CliError {
  return new CliError(code, `The history ${path} cannot be used: ${why}.`, { hint, cause });
}

function wordingOf(error: unknown): Wording | undefined {
  const sqlite = primaryCode(error);
  if (sqlite !== undefined) {
    return WORDINGS.get(sqlite);
  }
  const code = errorCode(error);
  if (code === "ENOSPC" || code === "EDQUOT") {
    return FULL;
  }
  const why = code === undefined ? undefined : FILE_CAUSES.get(code);
  return why === undefined ? undefined : { ...UNWRITABLE, why };
}

/** `SQLITE_IOERR_WRITE` → `IOERR`. */
function primaryCode(error: unknown): string | undefined {
  return error instanceof Sqlite.SqliteError ? error.code.split("_")[1] : undefined;
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
