import type { Transport, TransportHandler } from "../transport.ts";

/** One end of a link in memory, which a test can slow down and cut. */
export class MemoryTransport implements Transport {
  /** Messages that were sent, for a test to look at. */
  readonly sent: Uint8Array[] = [];
  pings = 0;
  #peer: MemoryTransport | undefined;
  #handler: TransportHandler | undefined;
  #isClosed = false;
  #inFlight = 0;
  #filler = 0;

  get bufferedBytes(): number {
    return this.#inFlight + this.#filler;
  }

  join(peer: MemoryTransport): void {
    this.#peer = peer;
  }

  setHandler(handler: TransportHandler): void {
    this.#handler = handler;
  }

  send(message: Uint8Array): void {
    if (this.#isClosed) return;
    const copy = message.slice();
    this.sent.push(copy);
    this.#inFlight += copy.length;
    setImmediate(() => this.#deliver(copy));
  }

  ping(): void {
    this.pings += 1;
    setImmediate(() => this.#handler?.onPong());
  }

  /** Acts as a transport that has this much to send already, until `drain`. */
  fill(bytes: number): void {
    this.#filler = bytes;
  }

  drain(): void {
    this.#filler = 0;
    this.#handler?.onDrain();
  }

  close(_code: number, reason: string): void {
    this.#over(true, reason);
    const peer = this.#peer;
    setImmediate(() => {
      if (peer !== undefined) peer.#over(true, reason);
    });
  }

  terminate(): void {
    this.#over(false, "the link was cut");
    const peer = this.#peer;
    setImmediate(() => {
      if (peer !== undefined) peer.#over(false, "the link was cut");
    });
  }

  #deliver(message: Uint8Array): void {
    this.#inFlight -= message.length;
    const peer = this.#peer;
    if (!this.#isClosed && peer !== undefined) peer.#handler?.onMessage(message);
    if (this.bufferedBytes === 0) this.#handler?.onDrain();
  }

  #over(clean: boolean, reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const handler = this.#handler;
    setImmediate(() => handler?.onClose(clean, reason));
  }
}

/** Two joined ends. */
export function createMemoryLink(): [MemoryTransport, MemoryTransport] {
  const left = new MemoryTransport();
  const right = new MemoryTransport();
  left.join(right);
  right.join(left);
  return [left, right];
}
