import type { ClientRequest } from "node:http";
import type { StreamingBody } from "./forwarder.ts";
import type { HeadDeadline } from "./head-deadline.ts";

/**
 * Writes a body in flight to a request and ends it, chunk by chunk: the next chunk is asked for only when the last one has
 * left for the target. Resolves true when the body was sent whole, false when `signal` stopped it.
 *
 * @throws what `body.chunks` throws when the sender went away
 */
export async function pumpBody(
  body: StreamingBody,
  request: ClientRequest,
  deadline: HeadDeadline,
  signal: AbortSignal,
): Promise<boolean> {
  const chunks = body.chunks[Symbol.asyncIterator]();
  while (!signal.aborted) {
    // The target is not to blame while the sender takes its time.
    deadline.pause();
    const next = await unlessAborted(chunks.next(), signal);
    deadline.restart();
    if (next === undefined) {
      return false;
    }
    if (next.done === true) {
      endRequest(request, body);
      return true;
    }
    if (!request.write(next.value)) {
      await drained(request, signal);
    }
  }
  return false;
}

function endRequest(request: ClientRequest, body: StreamingBody): void {
  const trailers = body.trailers?.() ?? [];
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < trailers.length; index += 2) {
    pairs.push([trailers[index] ?? "", trailers[index + 1] ?? ""]);
  }
  if (pairs.length > 0) {
    request.addTrailers(pairs);
  }
  request.end();
}

/** Undefined once aborted. A listener for each wait, removed after it: a race against one promise would keep every chunk's. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function drained(request: ClientRequest, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    function settle(): void {
      request.off("drain", settle);
      request.off("close", settle);
      signal.removeEventListener("abort", settle);
      resolve();
    }
    request.on("drain", settle);
    request.on("close", settle);
    signal.addEventListener("abort", settle, { once: true });
    if (signal.aborted || request.destroyed) {
      settle();
    }
  });
}
