import type {
  HeaderList,
  ResetCode,
  ResponderStream,
  ResponseHead,
  StopCode,
  StreamHandler,
} from "@tenfold/protocol";

/** What an agent did on a stream, in order. */
type StreamCall =
  | { readonly call: "respond"; readonly head: ResponseHead; readonly body: string; readonly end: boolean }
  | { readonly call: "write"; readonly text: string }
  | { readonly call: "end"; readonly trailers: HeaderList }
  | { readonly call: "stop"; readonly code: StopCode }
  | { readonly call: "reset"; readonly code: ResetCode; readonly reason: string };

/** A stream without a wire: the test plays the relay. */
export interface ScriptedStream extends ResponderStream {
  readonly calls: readonly StreamCall[];
  /** The body of the answer so far. */
  answer(): string;
  readonly credited: number;
  /** Resolves once `test` holds for the calls made so far. */
  until(test: (calls: readonly StreamCall[]) => boolean): Promise<void>;
  /** Plays the relay's side: the sender has gone away. */
  callerGone(handler: StreamHandler): void;
}

/** `onEnded` is called by the agent's `end`, within it, as a wire does that closes the stream then. */
export function createScriptedStream(onEnded: () => void = () => {}): ScriptedStream {
  const calls: StreamCall[] = [];
  const watchers = new Set<() => void>();
  let credited = 0;
  let closed = false;
  function note(call: StreamCall): void {
    if (closed) {
      return;
    }
    calls.push(call);
    closed = call.call === "reset";
    for (const check of watchers) {
      check();
    }
  }
  return {
    id: 1,
    calls,
    get closed() {
      return closed;
    },
    get credited() {
      return credited;
    },
    answer: () =>
      calls
        .map((call) => (call.call === "write" ? call.text : call.call === "respond" ? call.body : ""))
        .join(""),
    respond(head, options = {}) {
      note({ call: "respond", head, body: latin1(options.body), end: options.end === true });
      return true;
    },
    write(chunk) {
      note({ call: "write", text: latin1(chunk) });
      return true;
    },
    end(trailers = []) {
      note({ call: "end", trailers });
      onEnded();
    },
    consumed: (bytes) => {
      credited += bytes;
    },
    stop: (code) => note({ call: "stop", code }),
    reset: (code, reason) => note({ call: "reset", code, reason }),
    until: (test) =>
      new Promise((resolve) => {
        function check(): void {
          if (test(calls)) {
            watchers.delete(check);
            resolve();
          }
        }
        watchers.add(check);
        check();
      }),
    callerGone(handler) {
      closed = true;
      handler.onReset("caller-gone", "the caller went away");
      handler.onClose();
    },
  };
}

function latin1(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString("latin1");
}
