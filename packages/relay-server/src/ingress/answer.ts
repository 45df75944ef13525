import type { ServerResponse } from "node:http";
import { toNodeFields, type HeaderList } from "@tenfold/protocol";
import { isWritableFields, type AnswerFraming, type PublicHead } from "./response-head.ts";

/** The answer of a target on its way to the public caller. */
export class Answer {
  readonly #res: ServerResponse;
  #framing: AnswerFraming = { kind: "none" };
  #sentBytes = 0;

  constructor(res: ServerResponse) {
    this.#res = res;
  }

  /** Writes the head with the fields in their order, spelling and number, and nothing of Node's own that is end to end. */
  start(head: PublicHead): void {
    const res = this.#res;
    this.#framing = head.framing;
    res.sendDate = false;
    if (res.shouldKeepAlive && res.req.httpVersion === "1.1") {
      // Persistent is the default of HTTP/1.1: the field would only be one that the target has not sent.
      res.removeHeader("connection");
    }
    res.writeHead(head.status, head.statusText, toNodeFields(head.headers));
    // Node holds the head back for the first chunk. A stream of events may have none for long; a small body, which comes in
    // the same turn, still leaves in one packet with the head.
    queueMicrotask(() => {
      if (this.#sentBytes === 0 && !res.writableEnded && !res.destroyed) {
        res.flushHeaders();
      }
    });
  }

  /** False: the chunk goes over the announced length and was not written. `onFlushed` is called when it left our memory. */
  write(chunk: Uint8Array, onFlushed: () => void): boolean {
    this.#sentBytes += chunk.length;
    if (this.#framing.kind === "length" && this.#sentBytes > this.#framing.bytes) {
      return false;
    }
    this.#res.write(chunk, onFlushed);
    return true;
  }

  /** Whether the body has its announced length, if one was announced. */
  get isWhole(): boolean {
    return this.#framing.kind !== "length" || this.#sentBytes === this.#framing.bytes;
  }

  /** Trailers go out with a chunked body only; elsewhere there is no place for them. */
  setTrailers(trailers: HeaderList): void {
    if (this.#framing.kind !== "chunked" || trailers.length === 0 || !isWritableFields(trailers)) {
      return;
    }
    const pairs = trailers.flatMap((name, at): [string, string][] =>
      at % 2 === 0 ? [[name, trailers[at + 1] ?? ""]] : [],
    );
    this.#res.addTrailers(pairs);
  }

  /** Breaks the answer off, so that no caller takes the part for the whole. */
  cut(): void {
    if (this.#framing.kind === "close" && this.#res.socket !== null) {
      // An orderly close is how this body would end; only a TCP reset tells that it is cut.
      this.#res.socket.resetAndDestroy();
    } else {
      this.#res.destroy();
    }
  }
}
