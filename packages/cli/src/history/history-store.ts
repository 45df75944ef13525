import type { HeaderList } from "@tenfold/protocol";
import type { SignatureState } from "@tenfold/providers";

/** `minted`: made by Tenfold at capture; shown only where a target asks for a key header. */
export type StoredKeySource = "provider" | "header" | "minted";

/** A body as captured. `bytes` hold at most the capture limit. */
export interface CapturedBody {
  readonly bytes: Uint8Array;
  /** Size on the wire in bytes; more than `bytes.length` when truncated. */
  readonly size: number;
  readonly truncated: boolean;
}

export interface DeliveryRecord {
  /** `dlv_` and a UUIDv7 without dashes; sorts by time. */
  readonly id: string;
  /** ms since the epoch. */
  readonly receivedAt: number;
  /** Id of the delivery that this one is a replay as new of; null: it was received. */
  readonly replayOf: string | null;
  readonly method: string;
  /** Request-target, byte for byte. */
  readonly path: string;
  readonly headers: HeaderList;
  readonly provider: string | null;
  readonly event: string | null;
  readonly key: string;
  readonly keySource: StoredKeySource;
  readonly signature: SignatureState;
  /** Base URL of the target that it went to, or was meant for (`--record-only`); the default of `replay`. */
  readonly target: string;
  /** Header that the target asked the key in; null: none. A resend keeps to it. */
  readonly idempotencyHeader: string | null;
  /** Folder that the tunnel was started in; the scope of `last`. */
  readonly folder: string;
  /** Tunnel name; null for replays. */
  readonly tunnel: string | null;
  readonly body: CapturedBody;
}

/** A row of the list: the record without headers and body bytes. */
export interface DeliverySummary extends Omit<DeliveryRecord, "headers" | "body"> {
  readonly bodySize: number;
  readonly bodyTruncated: boolean;
  readonly attempts: number;
  /** Of the newest attempt. */
  readonly lastStatus: number | null;
  readonly lastOutcome: Outcome | null;
}

export type Trigger = "live" | "resend" | "replay" | "retry" | "check";

/**
 * How an attempt ended. `acknowledged`: 2xx or the provider's own rule, whole · `rejected`: any other whole answer ·
 * the rest: no whole answer, and where it failed · `recorded`: `--record-only`, nothing was sent.
 */
export type Outcome =
  | "acknowledged"
  | "rejected"
  | "refused"
  | "reset"
  | "timeout"
  | "tls"
  | "bad-answer"
  | "truncated"
  | "cancelled"
  | "recorded";

/** What a probe saw change. */
export interface Effects {
  /** Rows changed in all. */
  readonly total: number;
  /** By table or source, with its parts; only those that changed. */
  readonly changes: readonly SourceChange[];
}

export interface SourceChange {
  readonly source: string;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  /** The source is too large to be compared row by row: it surely changed, and the numbers are the least that did. */
  readonly approximate?: true;
}

export interface AttemptRecord {
  /** `att_` and a UUIDv7 without dashes. */
  readonly id: string;
  readonly deliveryId: string;
  /** 1 for the delivery's first attempt; counted by the store when it is written. */
  readonly number: number;
  readonly runId: string | null;
  readonly trigger: Trigger;
  readonly target: string;
  /** ms since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Null: no response head came. */
  readonly status: number | null;
  readonly statusText: string | null;
  readonly outcome: Outcome;
  /** One line, plain words; null when acknowledged. */
  readonly cause: string | null;
  readonly responseHeaders: HeaderList | null;
  readonly responseBody: CapturedBody | null;
  /** What was really sent, where it differs from the delivery (signed again, key header); null: the delivery's own. */
  readonly sentHeaders: HeaderList | null;
  readonly effects: Effects | null;
}

export type NewAttempt = Omit<AttemptRecord, "number">;

export interface RunRecord {
  readonly id: string;
  readonly deliveryId: string;
  readonly kind: "resend" | "replay" | "check";
  readonly startedAt: number;
  /** JSON of the verdict; null while it runs or when it was interrupted. */
  readonly verdict: string | null;
}

export interface ListQuery {
  /** Newest first; 1 or more. */
  readonly limit: number;
  /** Only deliveries of tunnels started in this folder. */
  readonly folder?: string;
}

/**
 * Writes return at once and are committed in one transaction a batch; reads see what is committed, plus `flush`.
 *
 * A write throws a CliError only when the bound on waiting rows is reached, because the disk fails or a lock stays: that row
 * is then not taken.
 */
export interface HistoryStore {
  readonly path: string;
  /** An id that is already there is left as it is: the relay may hand a stored delivery over twice. */
  recordDelivery(delivery: DeliveryRecord): void;
  /** Returns the number that the attempt got within its delivery; another process that adds at this moment may take it. */
  recordAttempt(attempt: NewAttempt): number;
  /** Written again with its verdict when it ends. */
  recordRun(run: RunRecord): void;
  /** Resolves once all earlier writes are committed. @throws CliError `disk-full`, `db-busy`, `db-unwritable`: nothing is dropped, a later flush tries again. */
  flush(): Promise<void>;
  list(query: ListQuery): DeliverySummary[];
  get(id: string): DeliveryRecord | undefined;
  attempts(deliveryId: string): AttemptRecord[];
  /** Has a probe ever seen effects of this delivery on this target? */
  hadEffects(deliveryId: string, target: string): boolean;
  /**
   * `last`, `last~N`, an id, a unique prefix of one, or a provider's event id.
   * @throws CliError `no-such-delivery`, `ambiguous-ref`
   */
  resolve(ref: string, folder: string): DeliveryRecord;
  /** Called when a batch could not be committed; the batch is kept and tried again. */
  onWriteError(listener: (error: Error) => void): void;
  close(): Promise<void>;
}
