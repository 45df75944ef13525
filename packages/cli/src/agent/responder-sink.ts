import type { ResponderStream } from "@tenfold/protocol";
import type { ResponseSink } from "../forward/forward-request.ts";

/** A sink that answers a delivery on the wire. */
export interface ResponderSink extends ResponseSink {
  /** For the stream's owner: there is room again. */
  writable(): void;
}

export function createResponderSink(stream: ResponderStream): ResponderSink {
  let onWritable: (() => void) | undefined;
  return {
    writable: () => onWritable?.(),
    head: (head) => {
      stream.respond(head);
    },
    write: (chunk) => stream.write(chunk),
    end: (trailers) => stream.end(trailers),
    setOnWritable(listener) {
      onWritable = listener;
    },
  };
}
