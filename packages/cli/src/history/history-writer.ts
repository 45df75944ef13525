import { statSync } from "node:fs";
import type Database from "better-sqlite3";
import { CliError } from "../errors.ts";
import { Sqlite } from "./sqlite-driver.ts";
import { isBusy, removedDatabaseError, toHistoryError } from "./history-errors.ts";
import { WriteQueue } from "./write-queue.ts";
import type { QueuedWrite } from "./write-queue.ts";
import { prepareWrites } from "./write-statements.ts";
import type { HistoryWrite } from "./write-statements.ts";

/** How long another process may hold the write lock before that is an error, in ms: far longer than any commit of ours. */
export const BUSY_TIMEOUT_MS = 5_000;
/** Pause before the next try after a failure, in ms; doubled each time. */
const FIRST_RETRY_MS = 10;
/** Longest pause, in ms: a disk that has room again is noticed within a second. */
const MAX_RETRY_MS = 1_000;

export interface HistoryWriterOptions {
  readonly path: string;
  /** ms, of any clock. */
  readonly now: () => number;
  readonly maxQueuedBytes?: number;
}

interface Waiter {
  readonly sequence: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

interface DroppedWrite {
  readonly queued: QueuedWrite;
  readonly error: Error;
}

/**
 * The write half of the history, on a connection of its own. Never waits for a lock: when another process has it, the batch
 * is tried again a little later, so that no delivery is held up.
 */
export class HistoryWriter {
  readonly #db: Database.Database;
  readonly #path: string;
  readonly #now: () => number;
  readonly #queue: WriteQueue;
  readonly #commit: (batch: readonly QueuedWrite[]) => DroppedWrite[];
  readonly #listeners = new Set<(error: Error) => void>();
  readonly #identity: string | undefined;
  #waiters: Waiter[] = [];
  #turn: NodeJS.Immediate | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = FIRST_RETRY_MS;
  #failingSince: number | undefined;
  #failure: Error | undefined;
  #isClosed = false;

  /** `db` is the writer's from now on; it is closed by `close`. */
  constructor(db: Database.Database, options: HistoryWriterOptions) {
    this.#db = db;
    this.#path = options.path;
    this.#now = options.now;
    this.#queue = new WriteQueue(options.maxQueuedBytes);
    db.pragma("busy_timeout = 0");
    this.#identity = identityOf(options.path);
    this.#commit = createCommit(db);
  }

  get isIdle(): boolean {
    return this.#queue.isEmpty;
  }

  /** @throws CliError with the code of the failure that holds up the queue, when the queue is full: the row is not taken */
  enqueue(write: HistoryWrite): void {
    if (this.#isClosed) {
      throw new Error("the history is closed");
    }
    if (!this.#queue.push(write)) {
      throw this.#queueFullError();
    }
    this.#schedule();
  }

  /** Resolves once all that was enqueued is committed. @throws CliError; the rows are kept, and tried again */
  async flush(): Promise<void> {
    if (this.#queue.isEmpty) {
      return;
    }
    const sequence = this.#queue.lastSequence;
    const committed = new Promise<void>((resolve, reject) => {
      this.#waiters.push({ sequence, resolve, reject });
    });
    this.#schedule();
    await committed;
  }

  onError(listener: (error: Error) => void): void {
    this.#listeners.add(listener);
  }

  /** Writes what is left, then closes. @throws CliError when that failed: those rows are lost */
  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      this.#isClosed = true;
      clearImmediate(this.#turn);
      clearTimeout(this.#retry);
      this.#db.close();
    }
  }

  #schedule(): void {
    this.#turn ??= setImmediate(() => this.#run());
  }

  #run(): void {
    clearImmediate(this.#turn);
    clearTimeout(this.#retry);
    this.#turn = undefined;
    const batch = this.#queue.peekBatch();
    if (batch.length === 0) {
      return;
    }
    let dropped: readonly DroppedWrite[];
    try {
      // SQLite goes on writing to a file that was deleted, where nobody will ever find the rows.
      if (identityOf(this.#path) !== this.#identity) {
        throw removedDatabaseError(this.#path);
      }
      dropped = this.#commit(batch);
    } catch (error) {
      this.#failed(error);
      return;
    }
    this.#queue.remove(batch);
    this.#committed(batch.at(-1)?.sequence ?? 0, dropped);
    if (!this.#queue.isEmpty) {
      this.#schedule();
    }
  }

  #committed(sequence: number, dropped: readonly DroppedWrite[]): void {
    this.#failingSince = undefined;
    this.#failure = undefined;
    this.#retryMs = FIRST_RETRY_MS;
    for (const { queued, error } of dropped) {
      this.#rejectWaiters(error, queued.sequence);
      this.#report(error);
    }
    const waiting = this.#waiters;
    this.#waiters = waiting.filter((waiter) => waiter.sequence > sequence);
    for (const waiter of waiting) {
      if (waiter.sequence <= sequence) {
        waiter.resolve();
      }
    }
  }

  /** A lock may be gone in a moment, so it becomes an error only after a while; all else is one at once. */
  #failed(error: unknown): void {
    const failure = toHistoryError(error, this.#path) ?? toError(error);
    this.#failingSince ??= this.#now();
    this.#retry = setTimeout(() => this.#run(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
    if (isBusy(error) && this.#now() - this.#failingSince < BUSY_TIMEOUT_MS) {
      return;
    }
    const isNew = codeOf(failure) !== codeOf(this.#failure);
    this.#failure = failure;
    this.#rejectWaiters(failure, 0);
    if (isNew) {
      this.#report(failure);
    }
  }

  #rejectWaiters(error: Error, fromSequence: number): void {
    const waiting = this.#waiters;
    this.#waiters = waiting.filter((waiter) => waiter.sequence < fromSequence);
    for (const waiter of waiting) {
      if (waiter.sequence >= fromSequence) {
        waiter.reject(error);
      }
    }
  }

  #report(error: Error): void {
    for (const listener of this.#listeners) {
      listener(error);
    }
  }

  #queueFullError(): CliError {
    const failure = this.#failure instanceof CliError ? this.#failure : undefined;
    return new CliError(
      failure?.code ?? "db-busy",
      `The history ${this.#path} takes no more: ${this.#queue.bytes} bytes already wait to be written.`,
      { hint: failure?.hint ?? "Wait until they are written.", cause: this.#failure },
    );
  }
}

/**
 * Commits a batch in one transaction. A row that can never be written (a bug, not a state of the disk) is left out and
 * returned, because kept it would hold up all rows behind it for ever.
 */
function createCommit(db: Database.Database): (batch: readonly QueuedWrite[]) => DroppedWrite[] {
  const write = prepareWrites(db);
  const commit = db.transaction((batch: readonly QueuedWrite[]) => {
    const dropped: DroppedWrite[] = [];
    for (const queued of batch) {
      try {
        write(queued.write);
      } catch (error) {
        if (!isRowError(error)) {
          throw error;
        }
        dropped.push({ queued, error: toError(error) });
      }
    }
    return dropped;
  });
  return (batch) => commit.immediate(batch);
}

const ROW_ERRORS: ReadonlySet<string | undefined> = new Set(["CONSTRAINT", "TOOBIG", "MISMATCH", "RANGE"]);

/** Errors of other classes come from the binding of a value that SQLite can't hold. */
function isRowError(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError
    ? ROW_ERRORS.has(error.code.split("_")[1])
    : error instanceof TypeError || error instanceof RangeError;
}

/** Which file the path names now; undefined: none. */
function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
}

function codeOf(error: Error | undefined): string | undefined {
  return error instanceof CliError ? error.code : error?.name;
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error });
}
