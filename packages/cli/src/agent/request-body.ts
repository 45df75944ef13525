import type { HeaderList, ResponderStream } from "@tenfold/protocol";
import type { StreamingBody } from "../forward/forwarder.ts";

/** The sender went away before its body was whole. */
export class SenderGoneError extends Error {
  constructor() {
    super("The sender went away before its request was whole.");
    this.name = "SenderGoneError";
  }
}

/**
 * A request body as it comes off the wire: filled by the stream's events, read as an async iterable. Credit goes back to
 * the relay for a chunk when the next one is asked for, that is when the target has taken it; so at most one window waits.
 */
export class IncomingBody implements StreamingBody {
  readonly chunks: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({ next: () => this.#next() }),
  };
  readonly #stream: Pick<ResponderStream, "consumed" | "stop">;
  readonly #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  /** Bytes at the front of the queue whose credit was given back already. */
  #creditedBytes = 0;
  /** Length of the chunk that the reader has now. */
  #lentBytes = 0;
  #state: "open" | "whole" | "broken" | "stopped" = "open";
  #trailers: HeaderList = [];
  #wake: (() => void) | undefined;

  constructor(stream: Pick<ResponderStream, "consumed" | "stop">) {
    this.#stream = stream;
  }

  /** True once the last byte has come in; false for ever after `fail` or `stop`. */
  get whole(): boolean {
    return this.#state === "whole";
  }

  push(chunk: Uint8Array): void {
    if (this.#state !== "open") {
      this.#stream.consumed(chunk.length);
      return;
    }
    if (chunk.length > 0) {
      this.#queue.push(chunk);
      this.#queuedBytes += chunk.length;
    }
    this.#wakeReader();
  }

  end(trailers: HeaderList): void {
    if (this.#state === "open") {
      this.#state = "whole";
      this.#trailers = trailers;
    }
    this.#wakeReader();
  }

  /** The sender or the link is gone: what is queued is void. */
  fail(): void {
    if (this.#state === "open") {
      this.#state = "broken";
    }
    this.#wakeReader();
  }

  /** Tells the relay that no more is read, unless all has come. */
  stop(): void {
    if (this.#state === "open") {
      this.#state = "stopped";
      this.#stream.stop("response-complete");
    }
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    this.#wakeReader();
  }

  trailers(): HeaderList {
    return this.#trailers;
  }

  /**
   * Waits until the body is whole or holds more than `limitBytes`, without taking anything from it. True when it is whole
   * and within the limit: `takeWhole` then has it all.
   *
   * @throws SenderGoneError
   */
  async buffered(limitBytes: number): Promise<boolean> {
    while (this.#state === "open" && this.#queuedBytes <= limitBytes) {
      this.#creditQueue();
      await this.#woken();
    }
    if (this.#state === "broken") {
      throw new SenderGoneError();
    }
    return this.#state === "whole" && this.#queuedBytes <= limitBytes;
  }

  /** All bytes that are queued, as one. Only for a body that is whole. */
  takeWhole(): Uint8Array {
    this.#creditQueue();
    const [only] = this.#queue;
    const bytes = this.#queue.length === 1 && only !== undefined ? only : Buffer.concat(this.#queue);
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    this.#creditedBytes = 0;
    return bytes;
  }

  /** Reads and drops the body to its end. @throws SenderGoneError */
  async drain(): Promise<void> {
    for await (const _chunk of this.chunks) {
      // Only the capture beside it keeps bytes.
    }
  }

  async #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#giveCredit(this.#lentBytes);
    this.#lentBytes = 0;
    while (this.#state === "open" && this.#queue.length === 0) {
      await this.#woken();
    }
    if (this.#state === "broken") {
      throw new SenderGoneError();
    }
    const chunk = this.#queue.shift();
    if (chunk === undefined) {
      return { done: true, value: undefined };
    }
    this.#queuedBytes -= chunk.length;
    const credited = Math.min(this.#creditedBytes, chunk.length);
    this.#creditedBytes -= credited;
    this.#lentBytes = chunk.length - credited;
    return { done: false, value: chunk };
  }

  #creditQueue(): void {
    this.#giveCredit(this.#queuedBytes - this.#creditedBytes);
    this.#creditedBytes = this.#queuedBytes;
  }

  #giveCredit(bytes: number): void {
    if (bytes > 0) {
      this.#stream.consumed(bytes);
    }
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
