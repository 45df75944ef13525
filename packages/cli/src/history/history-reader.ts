import type Database from "better-sqlite3";
import { withHistoryErrors } from "./history-errors.ts";
import type { AttemptRecord, DeliveryRecord, DeliverySummary, ListQuery } from "./history-store.ts";
import { fromAttemptRow, fromDeliveryRow, fromSummaryRow } from "./rows.ts";
import type { AttemptRow, DeliveryRow, SummaryRow } from "./rows.ts";

/** The read half of the history, on a connection of its own: sees what is committed, also by other processes. */
export class HistoryReader {
  readonly #db: Database.Database;
  readonly #path: string;
  readonly #statements: ReturnType<typeof prepareReads>;

  /** `db` is the reader's from now on; it is closed by `close`. */
  constructor(db: Database.Database, path: string) {
    this.#db = db;
    this.#path = path;
    this.#statements = prepareReads(db);
  }

  list({ limit, folder }: ListQuery): DeliverySummary[] {
    const { list, listFolder } = this.#statements;
    return this.#read(() => (folder === undefined ? list.all(limit) : listFolder.all(folder, limit))).map(
      fromSummaryRow,
    );
  }

  get(id: string): DeliveryRecord | undefined {
    const row = this.#read(() => this.#statements.get.get(id));
    return row && fromDeliveryRow(row);
  }

  attempts(deliveryId: string): AttemptRecord[] {
    return this.#read(() => this.#statements.attempts.all(deliveryId)).map(fromAttemptRow);
  }

  /** 0: there is none yet. */
  lastAttemptNumber(deliveryId: string): number {
    return this.#read(() => this.#statements.lastNumber.get(deliveryId)) ?? 0;
  }

  hadEffects(deliveryId: string, target: string): boolean {
    return this.#read(() => this.#statements.hadEffects.get(deliveryId, target)) !== undefined;
  }

  isEmpty(): boolean {
    return this.#read(() => this.#statements.any.get()) === undefined;
  }

  /** Id of the `back`th newest received delivery, from 0; in any folder when `folder` is undefined. */
  receivedId(back: number, folder?: string): string | undefined {
    const { received, receivedIn } = this.#statements;
    return this.#read(() => (folder === undefined ? received.get(back) : receivedIn.get(folder, back)));
  }

  /** Newest received delivery with the key, else the newest replay with it. */
  idByKey(key: string): string | undefined {
    const { receivedByKey, anyByKey } = this.#statements;
    return this.#read(() => receivedByKey.get(key) ?? anyByKey.get(key));
  }

  /** The newest `limit` deliveries whose id begins with `prefix`. */
  idsByPrefix(prefix: string, limit: number): string[] {
    return this.#read(() => this.#statements.byPrefix.all(prefix, `${prefix}\u{10FFFF}`, limit));
  }

  close(): void {
    this.#db.close();
  }

  #read<T>(work: () => T): T {
    return withHistoryErrors(this.#path, work);
  }
}

const SUMMARY_COLUMNS = `
  d.id, d.received_at, d.replay_of, d.method, d.path, d.provider, d.event, d.key, d.key_source, d.signature, d.target,
  d.idempotency_header, d.folder, d.tunnel, d.body_size, d.body_truncated`;

function listSql(where: string): string {
  return `
    SELECT ${SUMMARY_COLUMNS}, (SELECT count(*) FROM attempts WHERE delivery_id = d.id) AS attempts,
      newest.status AS last_status, newest.outcome AS last_outcome
    FROM deliveries d
    LEFT JOIN attempts newest ON newest.delivery_id = d.id
      AND newest.number = (SELECT max(number) FROM attempts WHERE delivery_id = d.id)
    ${where}
    ORDER BY d.received_at DESC, d.id DESC LIMIT ?`;
}

const GET = `
  SELECT ${SUMMARY_COLUMNS}, d.headers, bodies.bytes
  FROM deliveries d JOIN bodies ON bodies.id = d.body_id WHERE d.id = ?`;

const ATTEMPTS = `
  SELECT a.*, bodies.bytes AS response_bytes
  FROM attempts a LEFT JOIN bodies ON bodies.id = a.response_body_id
  WHERE a.delivery_id = ? ORDER BY a.number`;

function idSql(where: string, limit: string): string {
  return `SELECT id FROM deliveries WHERE ${where} ORDER BY received_at DESC, id DESC ${limit}`;
}

function prepareReads(db: Database.Database) {
  return {
    list: db.prepare<[number], SummaryRow>(listSql("")),
    listFolder: db.prepare<[string, number], SummaryRow>(listSql("WHERE d.folder = ?")),
    get: db.prepare<[string], DeliveryRow>(GET),
    attempts: db.prepare<[string], AttemptRow>(ATTEMPTS),
    lastNumber: db
      .prepare<[string], number | null>("SELECT max(number) FROM attempts WHERE delivery_id = ?")
      .pluck(),
    hadEffects: db
      .prepare<[string, string], number>(
        "SELECT 1 FROM attempts WHERE delivery_id = ? AND target = ? AND effects_total > 0 LIMIT 1",
      )
      .pluck(),
    any: db.prepare<[], number>("SELECT 1 FROM deliveries LIMIT 1").pluck(),
    received: db.prepare<[number], string>(idSql("replay_of IS NULL", "LIMIT 1 OFFSET ?")).pluck(),
    receivedIn: db
      .prepare<[string, number], string>(idSql("folder = ? AND replay_of IS NULL", "LIMIT 1 OFFSET ?"))
      .pluck(),
    receivedByKey: db.prepare<[string], string>(idSql("key = ? AND replay_of IS NULL", "LIMIT 1")).pluck(),
    anyByKey: db.prepare<[string], string>(idSql("key = ?", "LIMIT 1")).pluck(),
    byPrefix: db
      .prepare<[string, string, number], string>(
        "SELECT id FROM deliveries WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT ?",
      )
      .pluck(),
  };
}
