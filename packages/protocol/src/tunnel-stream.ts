import type { HeaderList, ResponseHead } from "./core/head.ts";
import type { ResetCode, StopCode } from "./core/close-code.ts";

/**
 * One delivery on the wire, with two halves: the request (relay → agent) and the response (agent → relay).
 * Each half ends by `end`, `stop` (its reader wants no more) or `reset` (both halves at once).
 */
export interface TunnelStream {
  readonly id: number;
  /** True once both halves are over; every call below is then a no-op. */
  readonly closed: boolean;
  /**
   * Queues bytes on our half. Returns false when credit or the socket is used up: the bytes are kept, but write no more
   * until `onWritable`. After `end`, `onStop` or `onReset` the bytes are dropped and false is returned.
   */
  write(chunk: Uint8Array): boolean;
  /**
   * Ends our half after all queued bytes. Idempotent. Trailers that can't be sent (no headers, or above 64 KiB) reset the
   * stream: `target-bad-answer` from an agent, `too-large` from a relay.
   */
  end(trailers?: HeaderList): void;
  /** Gives credit back for `bytes` that were handed to `onData` and have left our memory. */
  consumed(bytes: number): void;
  /** "I read no more of your half" (QUIC STOP_SENDING, RFC 9000 §3.5): the peer's half ends, ours goes on. */
  stop(code: StopCode): void;
  /** Ends both halves at once. Idempotent. `reason` is for logs: at most 512 bytes, nothing internal. */
  reset(code: ResetCode, reason: string): void;
}

/** The agent's side of a stream: it answers with a head before it writes. */
export interface ResponderStream extends TunnelStream {
  /**
   * Sends the response head once, with an optional first piece of body and the end in the same message. False as for `write`;
   * with `end` only when the stream is over already.
   *
   * @throws ProtocolError `malformed-frame` or `head-too-large` for a head that can't be sent: the stream is still open, and
   * takes another head or a reset.
   */
  respond(head: ResponseHead, options?: { readonly body?: Uint8Array; readonly end?: boolean }): boolean;
}

/**
 * What a stream tells its owner. All calls are synchronous; a handler that throws ends the process, since it is a bug.
 * Exactly one `onClose` comes last, whatever happened before, also when the session is lost.
 */
export interface StreamHandler {
  /** Relay only: the head of the answer. */
  onResponse?(head: ResponseHead): void;
  /** Bytes of the peer's half. Call `stream.consumed(chunk.length)` once they have been passed on. */
  onData(chunk: Uint8Array): void;
  /** The peer's half is whole. */
  onEnd(trailers: HeaderList): void;
  /** There is room again after `write` or `respond` returned false. */
  onWritable(): void;
  /** The peer reads no more of our half; it counts as ended. */
  onStop(code: StopCode): void;
  /** Both halves are void. `code` is `"session-lost"` when the link went away. */
  onReset(code: ResetCode, reason: string): void;
  onClose(): void;
}
