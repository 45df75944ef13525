import type { HeaderList, ResponseHead } from "@tenfold/protocol";
import type { Outcome } from "../history/history-store.ts";
import type { Target } from "./target.ts";

/** A whole body, or one that still comes in. */
export type RequestBody = Uint8Array | StreamingBody;

/** Pull side of a body in flight; the reader pauses the wire through it. */
export interface StreamingBody {
  /** Async chunks with back-pressure; ends, or throws when the sender went away. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The target wants no more of it: no chunk is asked for after this, and a pending one may end the iteration. Idempotent. */
  stop(): void;
  /** Trailer fields, asked for once after the last chunk; absent: none. They go out only where the body is sent chunked. */
  trailers?(): HeaderList;
}

/** Where the answer goes while it comes. `write` returning false pauses the target until `onWritable` is called. */
export interface ResponseSink {
  head(head: ResponseHead): void;
  write(chunk: Uint8Array): boolean;
  end(trailers: HeaderList): void;
  /** Set by the forwarder before `head`. */
  setOnWritable(listener: () => void): void;
}

export interface ForwardRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: HeaderList;
  readonly body: RequestBody;
  readonly signal?: AbortSignal;
}

export interface ForwardResult {
  /** `acknowledged` is decided by the caller; a whole answer is `answered` here. */
  readonly outcome: Exclude<Outcome, "acknowledged" | "rejected" | "recorded"> | "answered";
  readonly head: ResponseHead | null;
  /** One line, plain words; null when answered. */
  readonly cause: string | null;
  readonly durationMs: number;
}

/** Sends requests to targets over kept-alive connections. */
export interface Forwarder {
  /** Never rejects for what the target does: every failure is a result. */
  forward(target: Target, request: ForwardRequest, sink: ResponseSink): Promise<ForwardResult>;
  close(): Promise<void>;
}
