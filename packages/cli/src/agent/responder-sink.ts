import { ProtocolError } from "@tenfold/protocol";
import type { ResponderStream } from "@tenfold/protocol";
import type { ResponseSink } from "../forward/forwarder.ts";

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
      try {
        stream.respond(head);
      } catch (error) {
        // A head that the wire can't carry: too large once it is encoded. The relay tells the sender, and the target is let go.
        if (!(error instanceof ProtocolError)) {
          throw error;
        }
        stream.reset("target-bad-answer", `the answer's head can't be passed on: ${error.code}`);
      }
    },
    write: (chunk) => stream.write(chunk),
    end: (trailers) => stream.end(trailers),
    setOnWritable(listener) {
      onWritable = listener;
    },
  };
}
