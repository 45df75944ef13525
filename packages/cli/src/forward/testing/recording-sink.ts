import type { HeaderList, ResponseHead } from "@tenfold/protocol";
import type { ResponseSink } from "../forwarder.ts";

/** A sink that keeps what it was given. */
export interface RecordingSink extends ResponseSink {
  readonly heads: ResponseHead[];
  readonly chunks: Buffer[];
  /** Body so far, one char per byte. */
  text(): string;
  readonly trailers: HeaderList[];
  /** Resolves once the body so far holds `text`. */
  receivedText(text: string): Promise<void>;
  /** What `write` returns from now on. */
  setRoom(room: boolean): void;
  /** As the wire does when there is room again. */
  writable(): void;
}

export function createRecordingSink(): RecordingSink {
  const heads: ResponseHead[] = [];
  const chunks: Buffer[] = [];
  const trailers: HeaderList[] = [];
  const waiting = new Set<() => void>();
  let room = true;
  let onWritable: (() => void) | undefined;
  const text = (): string => Buffer.concat(chunks).toString("latin1");
  return {
    heads,
    chunks,
    trailers,
    text,
    head: (head) => {
      heads.push(head);
    },
    write: (chunk) => {
      chunks.push(Buffer.from(chunk));
      for (const check of waiting) {
        check();
      }
      return room;
    },
    end: (fields) => {
      trailers.push(fields);
    },
    setOnWritable: (listener) => {
      onWritable = listener;
    },
    receivedText: (wanted) =>
      new Promise((resolve) => {
        function check(): void {
          if (text().includes(wanted)) {
            waiting.delete(check);
            resolve();
          }
        }
        waiting.add(check);
        check();
      }),
    setRoom: (value) => {
      room = value;
    },
    writable: () => onWritable?.(),
  };
}
