import { SEND_HIGH_WATER_BYTES, SEND_LOW_WATER_BYTES } from "../core/limits.ts";
import type { Transport, TransportHandler } from "../transport.ts";

/** One end of a link in memory, which a test can fill, silence and cut. */
export class MemoryTransport implements Transport {
  /** Messages that were sent, for a test to look at. */
  readonly sent: Uint8Array[] = [];
  pings = 0;
  #peer: MemoryTransport | undefined;
  #handler: TransportHandler | undefined;
  #isClosed = false;
  #isSilent = false;
  #ignoresClose = false;
  #wasFull = false;
  #inFlightBytes = 0;
  #fillerBytes = 0;

  get bufferedBytes(): number {
    const bytes = this.#inFlightBytes + this.#fillerBytes;
    if (bytes >= SEND_HIGH_WATER_BYTES) this.#wasFull = true;
    return bytes;
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
    this.#inFlightBytes += copy.length;
    setImmediate(() => this.#deliver(copy));
  }

  ping(): void {
    this.pings += 1;
    if (this.#isCutOff()) return;
    setImmediate(() => this.#handler?.onPong());
  }

  /** Acts as a transport that has this much to send already, until `drain`. */
  fill(bytes: number): void {
    this.#fillerBytes = bytes;
  }

  drain(): void {
    this.#fillerBytes = 0;
    this.#afterWrite();
  }

  /** From now on nothing arrives at this end and nothing leaves it, and neither end is told: a half-open link. */
  silence(): void {
    this.#isSilent = true;
  }

  /** Acts as a transport whose orderly close never completes. */
  ignoreClose(): void {
    this.#ignoresClose = true;
  }

  close(_code: number, reason: string): void {
    if (!this.#ignoresClose) this.#over(true, reason);
  }

  terminate(): void {
    this.#over(false, "the link was cut");
  }

  #deliver(message: Uint8Array): void {
    this.#inFlightBytes -= message.length;
    const peer = this.#peer;
    if (peer !== undefined && !this.#isClosed && !this.#isCutOff()) peer.#handler?.onMessage(message);
    this.#afterWrite();
  }

  #afterWrite(): void {
    if (this.bufferedBytes > SEND_LOW_WATER_BYTES || !this.#wasFull) return;
    this.#wasFull = false;
    this.#handler?.onDrain();
  }

  #isCutOff(): boolean {
    return this.#isSilent || this.#peer === undefined || this.#peer.#isSilent || this.#peer.#isClosed;
  }

  #over(clean: boolean, reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    setImmediate(() => {
      this.#handler?.onClose(clean, reason);
      const peer = this.#peer;
      if (peer !== undefined && !this.#isSilent && !peer.#isSilent) peer.#over(clean, reason);
    });
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
