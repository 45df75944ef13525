import { createHash } from "node:crypto";
import type Database from "better-sqlite3";
import type { CapturedBody, DeliveryRecord, NewAttempt, RunRecord } from "./history-store.ts";
import { toAttemptParams, toDeliveryParams } from "./rows.ts";
import type { AttemptParams, DeliveryParams } from "./rows.ts";

/** One row to be written, as data, so that a batch can be handed to another thread. */
export type HistoryWrite =
  | { readonly kind: "delivery"; readonly delivery: DeliveryRecord }
  | { readonly kind: "attempt"; readonly attempt: NewAttempt }
  | { readonly kind: "run"; readonly run: RunRecord };

/** Prepares the statements once. The returned function writes one row, within the caller's transaction. */
export function prepareWrites(db: Database.Database): (write: HistoryWrite) => void {
  const bodyIdOf = prepareBodies(db);
  const insertDelivery = db.prepare<[DeliveryParams]>(INSERT_DELIVERY);
  const insertAttempt = db.prepare<[AttemptParams]>(INSERT_ATTEMPT);
  const upsertRun = db.prepare<[RunRecord]>(UPSERT_RUN);
  const lastNumber = db
    .prepare<[string], number | null>("SELECT max(number) FROM attempts WHERE delivery_id = ?")
    .pluck();
  return (write) => {
    switch (write.kind) {
      case "delivery":
        insertDelivery.run(toDeliveryParams(write.delivery, bodyIdOf(write.delivery.body)));
        return;
      case "attempt": {
        const { attempt } = write;
        const bodyId = attempt.responseBody === null ? null : bodyIdOf(attempt.responseBody);
        // Counted under the write lock, so that several processes can add attempts to one delivery.
        const number = (lastNumber.get(attempt.deliveryId) ?? 0) + 1;
        insertAttempt.run(toAttemptParams(attempt, number, bodyId));
        return;
      }
      case "run":
        upsertRun.run(write.run);
    }
  };
}

/** Equal bodies are stored once: ten resends of a large answer cost one. */
function prepareBodies(db: Database.Database): (body: CapturedBody) => number {
  const select = db.prepare<[Uint8Array], number>("SELECT id FROM bodies WHERE sha256 = ?").pluck();
  const insert = db.prepare<[Uint8Array, Uint8Array]>("INSERT INTO bodies (sha256, bytes) VALUES (?, ?)");
  return ({ bytes }) => {
    const sha256 = createHash("sha256").update(bytes).digest();
    return select.get(sha256) ?? Number(insert.run(sha256, bytes).lastInsertRowid);
  };
}

// The relay hands a stored delivery over again when it did not hear that it was committed.
const INSERT_DELIVERY = `
  INSERT INTO deliveries (
    id, received_at, replay_of, method, path, headers, provider, event, key, key_source, signature, target,
    idempotency_header, folder, tunnel, body_id, body_size, body_truncated
  ) VALUES (
    @id, @received_at, @replay_of, @method, @path, @headers, @provider, @event, @key, @key_source, @signature, @target,
    @idempotency_header, @folder, @tunnel, @body_id, @body_size, @body_truncated
  ) ON CONFLICT (id) DO NOTHING`;

const INSERT_ATTEMPT = `
  INSERT INTO attempts (
    id, delivery_id, number, run_id, trigger_kind, target, started_at, duration_ms, status, status_text, outcome, cause,
    response_headers, response_body_id, response_size, response_truncated, sent_headers, effects, effects_total
  ) VALUES (
    @id, @delivery_id, @number, @run_id, @trigger_kind, @target, @started_at, @duration_ms, @status, @status_text, @outcome,
    @cause, @response_headers, @response_body_id, @response_size, @response_truncated, @sent_headers, @effects, @effects_total
  )`;

/** A run is written when it starts and again with its verdict. */
const UPSERT_RUN = `
  INSERT INTO runs (id, delivery_id, kind, started_at, verdict)
  VALUES (@id, @deliveryId, @kind, @startedAt, @verdict)
  ON CONFLICT (id) DO UPDATE SET verdict = excluded.verdict`;
