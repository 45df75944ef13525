import type { HistoryReader } from "./history-reader.ts";
import { readOnlyHistoryError } from "./history-errors.ts";
import type {
  AttemptRecord,
  DeliveryRecord,
  DeliverySummary,
  HistoryStore,
  ListQuery,
  NewAttempt,
  RunRecord,
} from "./history-store.ts";
import type { HistoryWriter } from "./history-writer.ts";
import { resolveRef } from "./resolve-ref.ts";

/** The history in SQLite: a writer and a reader that know nothing of each other. Without a writer it is read-only. */
export class SqliteHistory implements HistoryStore {
  readonly path: string;
  readonly #reader: HistoryReader;
  readonly #writer: HistoryWriter | undefined;
  /** Numbers given to attempts that may not be committed yet, by delivery. */
  readonly #numbers = new Map<string, number>();
  #closed: Promise<void> | undefined;

  constructor(path: string, reader: HistoryReader, writer?: HistoryWriter) {
    this.path = path;
    this.#reader = reader;
    this.#writer = writer;
  }

  recordDelivery(delivery: DeliveryRecord): void {
    this.#write().enqueue({ kind: "delivery", delivery });
  }

  recordAttempt(attempt: NewAttempt): number {
    const writer = this.#write();
    if (writer.isIdle) {
      this.#numbers.clear();
    }
    const { deliveryId } = attempt;
    const committed = this.#reader.lastAttemptNumber(deliveryId);
    const number = Math.max(committed, this.#numbers.get(deliveryId) ?? 0) + 1;
    writer.enqueue({ kind: "attempt", attempt });
    this.#numbers.set(deliveryId, number);
    return number;
  }

  recordRun(run: RunRecord): void {
    this.#write().enqueue({ kind: "run", run });
  }

  async flush(): Promise<void> {
    await this.#writer?.flush();
  }

  list(query: ListQuery): DeliverySummary[] {
    return this.#reader.list(query);
  }

  get(id: string): DeliveryRecord | undefined {
    return this.#reader.get(id);
  }

  attempts(deliveryId: string): AttemptRecord[] {
    return this.#reader.attempts(deliveryId);
  }

  hadEffects(deliveryId: string, target: string): boolean {
    return this.#reader.hadEffects(deliveryId, target);
  }

  resolve(ref: string, folder: string): DeliveryRecord {
    return resolveRef(this.#reader, ref, folder);
  }

  onWriteError(listener: (error: Error) => void): void {
    this.#writer?.onError(listener);
  }

  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  /** The writer last: as the last connection it folds the log into the file. */
  async #close(): Promise<void> {
    this.#reader.close();
    await this.#writer?.close();
  }

  #write(): HistoryWriter {
    if (this.#writer === undefined) {
      throw readOnlyHistoryError(this.path);
    }
    return this.#writer;
  }
}
