import type { HeaderList } from "@tenfold/protocol";
import type {
  AttemptRecord,
  CapturedBody,
  DeliveryRecord,
  DeliverySummary,
  Effects,
  NewAttempt,
  Outcome,
} from "./history-store.ts";

interface DeliveryColumns {
  readonly id: string;
  readonly received_at: number;
  readonly replay_of: string | null;
  readonly method: string;
  readonly path: string;
  readonly provider: string | null;
  readonly event: string | null;
  readonly key: string;
  readonly key_source: string;
  readonly signature: string;
  readonly target: string;
  readonly idempotency_header: string | null;
  readonly folder: string;
  readonly tunnel: string | null;
  readonly body_size: number;
  readonly body_truncated: number;
}

/** To insert a delivery. */
export interface DeliveryParams extends DeliveryColumns {
  readonly headers: string;
  readonly body_id: number;
}

/** A delivery joined with its body. */
export interface DeliveryRow extends DeliveryColumns {
  readonly headers: string;
  readonly bytes: Uint8Array;
}

/** A delivery of the list, with what its attempts came to. */
export interface SummaryRow extends DeliveryColumns {
  readonly attempts: number;
  readonly last_status: number | null;
  readonly last_outcome: string | null;
}

interface AttemptColumns {
  readonly id: string;
  readonly delivery_id: string;
  readonly number: number;
  readonly run_id: string | null;
  readonly trigger_kind: string;
  readonly target: string;
  readonly started_at: number;
  readonly duration_ms: number;
  readonly status: number | null;
  readonly status_text: string | null;
  readonly outcome: string;
  readonly cause: string | null;
  readonly response_headers: string | null;
  readonly response_size: number | null;
  readonly response_truncated: number | null;
  readonly sent_headers: string | null;
  readonly effects: string | null;
}

/** To insert an attempt. */
export interface AttemptParams extends AttemptColumns {
  readonly response_body_id: number | null;
  /** Apart from the JSON, so that "had it effects" is a comparison. */
  readonly effects_total: number | null;
}

/** An attempt joined with its answer's body. */
export interface AttemptRow extends AttemptColumns {
  readonly response_bytes: Uint8Array | null;
}

export function toDeliveryParams(delivery: DeliveryRecord, bodyId: number): DeliveryParams {
  return {
    id: delivery.id,
    received_at: Math.round(delivery.receivedAt),
    replay_of: delivery.replayOf,
    method: delivery.method,
    path: delivery.path,
    headers: JSON.stringify(delivery.headers),
    provider: delivery.provider,
    event: delivery.event,
    key: delivery.key,
    key_source: delivery.keySource,
    signature: delivery.signature,
    target: delivery.target,
    idempotency_header: delivery.idempotencyHeader,
    folder: delivery.folder,
    tunnel: delivery.tunnel,
    body_id: bodyId,
    body_size: delivery.body.size,
    body_truncated: Number(delivery.body.truncated),
  };
}

export function fromDeliveryRow(row: DeliveryRow): DeliveryRecord {
  return {
    ...fromDeliveryColumns(row),
    headers: toHeaderList(row.headers),
    body: toBody(row.bytes, row.body_size, row.body_truncated),
  };
}

export function fromSummaryRow(row: SummaryRow): DeliverySummary {
  return {
    ...fromDeliveryColumns(row),
    bodySize: row.body_size,
    bodyTruncated: row.body_truncated === 1,
    attempts: row.attempts,
    lastStatus: row.last_status,
    lastOutcome: row.last_outcome as Outcome | null,
  };
}

export function toAttemptParams(attempt: NewAttempt, number: number, bodyId: number | null): AttemptParams {
  return {
    id: attempt.id,
    delivery_id: attempt.deliveryId,
    number,
    run_id: attempt.runId,
    trigger_kind: attempt.trigger,
    target: attempt.target,
    started_at: Math.round(attempt.startedAt),
    duration_ms: attempt.durationMs,
    status: attempt.status,
    status_text: attempt.statusText,
    outcome: attempt.outcome,
    cause: attempt.cause,
    response_headers: toJson(attempt.responseHeaders),
    response_body_id: bodyId,
    response_size: attempt.responseBody?.size ?? null,
    response_truncated: attempt.responseBody === null ? null : Number(attempt.responseBody.truncated),
    sent_headers: toJson(attempt.sentHeaders),
    effects: toJson(attempt.effects),
    effects_total: attempt.effects?.total ?? null,
  };
}

export function fromAttemptRow(row: AttemptRow): AttemptRecord {
  return {
    id: row.id,
    deliveryId: row.delivery_id,
    number: row.number,
    runId: row.run_id,
    trigger: row.trigger_kind as AttemptRecord["trigger"],
    target: row.target,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
    status: row.status,
    statusText: row.status_text,
    outcome: row.outcome as Outcome,
    cause: row.cause,
    responseHeaders: row.response_headers === null ? null : toHeaderList(row.response_headers),
    responseBody:
      row.response_bytes === null
        ? null
        : toBody(
            row.response_bytes,
            row.response_size ?? row.response_bytes.length,
            row.response_truncated ?? 0,
          ),
    sentHeaders: row.sent_headers === null ? null : toHeaderList(row.sent_headers),
    effects: row.effects === null ? null : (JSON.parse(row.effects) as Effects),
  };
}

function fromDeliveryColumns(row: DeliveryColumns): Omit<DeliveryRecord, "headers" | "body"> {
  return {
    id: row.id,
    receivedAt: row.received_at,
    replayOf: row.replay_of,
    method: row.method,
    path: row.path,
    provider: row.provider,
    event: row.event,
    key: row.key,
    keySource: row.key_source as DeliveryRecord["keySource"],
    signature: row.signature as DeliveryRecord["signature"],
    target: row.target,
    idempotencyHeader: row.idempotency_header,
    folder: row.folder,
    tunnel: row.tunnel,
  };
}

function toBody(bytes: Uint8Array, size: number, truncated: number): CapturedBody {
  return { bytes, size, truncated: truncated === 1 };
}

function toHeaderList(json: string): HeaderList {
  return JSON.parse(json) as HeaderList;
}

function toJson(value: HeaderList | Effects | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
