import type { StreamingBody } from "../forwarder.ts";

/** A body in flight that the test feeds. */
export interface FedBody extends StreamingBody {
  push(text: string): void;
  end(): void;
  fail(error: Error): void;
  readonly stopped: boolean;
  /** Chunks asked for so far. */
  readonly asked: number;
}

export function createFedBody(): FedBody {
  const queue: (Uint8Array | Error | null)[] = [];
  let wake: (() => void) | undefined;
  let stopped = false;
  let asked = 0;
  function put(item: Uint8Array | Error | null): void {
    queue.push(item);
    wake?.();
  }
  async function next(): Promise<IteratorResult<Uint8Array>> {
    asked += 1;
    while (queue.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const item = queue.shift() ?? null;
    if (item instanceof Error) {
      throw item;
    }
    return item === null ? { done: true, value: undefined } : { done: false, value: item };
  }
  return {
    chunks: { [Symbol.asyncIterator]: () => ({ next }) },
    stop: () => {
      stopped = true;
    },
    push: (text) => put(Buffer.from(text, "latin1")),
    end: () => put(null),
    fail: (error) => put(error),
    get stopped() {
      return stopped;
    },
    get asked() {
      return asked;
    },
  };
}
