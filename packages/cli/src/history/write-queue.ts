import type { HeaderList } from "@tenfold/protocol";
import type { HistoryWrite } from "./write-statements.ts";

/** Bodies that may wait for the disk, in bytes: with 10 MiB a body at least 25 deliveries, and memory that a laptop has. */
const MAX_QUEUED_BYTES = 256 * 1024 * 1024;
/** One transaction, in rows and bytes: some ms of work, so that a backlog does not hold up the event loop. */
const MAX_BATCH_WRITES = 500;
const MAX_BATCH_BYTES = 16 * 1024 * 1024;
/** What a row takes beside its texts and body, in bytes, so that many empty ones are counted too. */
const ROW_OVERHEAD_BYTES = 1024;

/** A write and its place in the order of all writes, from 1. */
export interface QueuedWrite {
  readonly sequence: number;
  readonly bytes: number;
  readonly write: HistoryWrite;
}

/** Writes that wait for their commit, in order and with a bound. */
export class WriteQueue {
  readonly #maxBytes: number;
  #writes: QueuedWrite[] = [];
  #bytes = 0;
  #sequence = 0;

  constructor(maxBytes: number = MAX_QUEUED_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#writes.length === 0;
  }

  /** Bytes that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Of the newest write that was taken. */
  get lastSequence(): number {
    return this.#sequence;
  }

  /** False: there is no room, and the write was not taken. */
  push(write: HistoryWrite): boolean {
    const bytes = sizeOf(write);
    if (this.#bytes + bytes > this.#maxBytes) {
      return false;
    }
    this.#sequence += 1;
    this.#writes.push({ sequence: this.#sequence, bytes, write });
    this.#bytes += bytes;
    return true;
  }

  /** The oldest writes, as many as make one transaction; they stay in the queue. */
  peekBatch(): readonly QueuedWrite[] {
    let bytes = 0;
    let count = 0;
    for (const queued of this.#writes.slice(0, MAX_BATCH_WRITES)) {
      bytes += queued.bytes;
      if (count > 0 && bytes > MAX_BATCH_BYTES) {
        break;
      }
      count += 1;
    }
    return this.#writes.slice(0, count);
  }

  /** Takes the oldest writes out, once they are committed. */
  remove(batch: readonly QueuedWrite[]): void {
    this.#writes = this.#writes.slice(batch.length);
    this.#bytes -= batch.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

function sizeOf(write: HistoryWrite): number {
  switch (write.kind) {
    case "delivery":
      return ROW_OVERHEAD_BYTES + write.delivery.body.bytes.length + headersSize(write.delivery.headers);
    case "attempt": {
      const { responseBody, responseHeaders, sentHeaders } = write.attempt;
      const headers = headersSize(responseHeaders) + headersSize(sentHeaders);
      return ROW_OVERHEAD_BYTES + (responseBody?.bytes.length ?? 0) + headers;
    }
    case "run":
      return ROW_OVERHEAD_BYTES + (write.run.verdict?.length ?? 0);
  }
}

function headersSize(headers: HeaderList | null): number {
  return (headers ?? []).reduce((sum, text) => sum + text.length, 0);
}
