import type { ResetCode, StopCode } from "./core/close-code.ts";
import type { HeaderList, ResponseHead } from "./core/head.ts";
import { MAX_PAYLOAD_BYTES } from "./core/limits.ts";
import type { Session } from "./core/session.ts";
import { canSendTrailers } from "./core/trailers.ts";
import type { ResponderStream, StreamHandler } from "./tunnel-stream.ts";

const EMPTY = new Uint8Array(0);

/** What a stream needs of its session. */
export interface StreamHost {
  readonly core: Session;
  /** May more bytes be handed to the transport? */
  readonly writable: boolean;
  /** May this first piece of a body go out with its head? */
  mayRide(body: Uint8Array): boolean;
  /** Sends what the core has made, and tells streams that are over. */
  settle(stream: MuxedStream): void;
  /** The stream has bytes that wait for the transport. */
  await(stream: MuxedStream): void;
}

/** One stream: bytes that wait for credit or for the transport, in front of the core's state. */
export class MuxedStream implements ResponderStream {
  readonly id: number;
  readonly #host: StreamHost;
  #handler: StreamHandler | undefined;
  #pending: Uint8Array[] = [];
  #trailers: HeaderList | undefined;
  #owesWritable = false;
  #closed = false;

  constructor(id: number, host: StreamHost) {
    this.id = id;
    this.#host = host;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get handler(): StreamHandler | undefined {
    return this.#handler;
  }

  setHandler(handler: StreamHandler): void {
    this.#handler = handler;
  }

  respond(head: ResponseHead, options: { readonly body?: Uint8Array; readonly end?: boolean } = {}): boolean {
    if (this.#closed) return false;
    const { body = EMPTY, end = false } = options;
    const rides = this.#host.mayRide(body);
    const sent = this.#host.core.respond(this.id, head, rides ? body : EMPTY, rides && end);
    this.#host.settle(this);
    if (!sent) return false;
    if (rides && end) return true;
    const hasRoom = this.write(rides ? EMPTY : body);
    if (end) this.end();
    return hasRoom || end;
  }

  write(chunk: Uint8Array): boolean {
    if (this.#closed || this.#trailers !== undefined || this.#isLocalOver()) return false;
    if (chunk.length > 0) this.#pending.push(chunk);
    this.pump(Number.POSITIVE_INFINITY);
    if (this.#pending.length === 0 && this.#host.writable) return true;
    this.#owesWritable = true;
    if (this.#pending.length === 0) this.#host.await(this);
    return false;
  }

  end(trailers: HeaderList = []): void {
    if (this.#closed || this.#trailers !== undefined) return;
    if (!canSendTrailers(trailers)) {
      const code = this.#host.core.role === "agent" ? "target-bad-answer" : "too-large";
      return this.reset(code, "trailers that can't be sent");
    }
    this.#trailers = trailers;
    this.pump(Number.POSITIVE_INFINITY);
  }

  consumed(bytes: number): void {
    if (this.#closed) return;
    this.#host.core.consume(this.id, bytes);
    this.#host.settle(this);
  }

  stop(code: StopCode): void {
    if (this.#closed) return;
    this.#host.core.sendStop(this.id, code);
    this.#host.settle(this);
  }

  reset(code: ResetCode, reason: string): void {
    if (this.#closed) return;
    this.#dropPending();
    this.#host.core.sendReset(this.id, code, reason);
    this.#host.settle(this);
  }

  /** Sends what credit, transport and `budgetBytes` allow; what is left waits for the one that is missing. */
  pump(budgetBytes: number): void {
    let budget = budgetBytes;
    while (this.#pending.length > 0 && budget > 0) {
      if (!this.#host.writable) return this.#host.await(this);
      const credit = this.#host.core.credit(this.id);
      if (credit === 0) return;
      const sent = this.#sendPiece(Math.min(credit, budget, MAX_PAYLOAD_BYTES));
      budget -= sent;
      this.#host.settle(this);
      if (this.#closed) return;
    }
    if (this.#pending.length > 0) return this.#host.await(this);
    this.#afterPending();
  }

  /** The peer reads no more: nothing of ours is left to send. */
  onStop(code: StopCode): void {
    this.#dropPending();
    this.#handler?.onStop(code);
  }

  /** Exactly once: the stream is over. */
  onClose(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#dropPending();
    this.#handler?.onClose();
  }

  #sendPiece(limit: number): number {
    const [chunk = EMPTY] = this.#pending;
    const piece = chunk.subarray(0, limit);
    if (piece.length === chunk.length) this.#pending.shift();
    else this.#pending[0] = chunk.subarray(piece.length);
    this.#host.core.sendData(this.id, piece);
    return piece.length;
  }

  #afterPending(): void {
    if (this.#trailers !== undefined) {
      this.#host.core.sendEnd(this.id, this.#trailers);
      this.#host.settle(this);
      return;
    }
    if (!this.#owesWritable) return;
    if (!this.#host.writable) return this.#host.await(this);
    this.#owesWritable = false;
    this.#handler?.onWritable();
  }

  #isLocalOver(): boolean {
    return this.#host.core.stateOf(this.id)?.local !== "open";
  }

  #dropPending(): void {
    this.#pending = [];
    this.#owesWritable = false;
  }
}
