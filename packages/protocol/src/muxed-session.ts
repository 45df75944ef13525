import { performance } from "node:perf_hooks";
import { ProtocolError } from "./core/errors.ts";
import type { RequestHead } from "./core/head.ts";
import { Heartbeat } from "./core/heartbeat.ts";
import {
  CLOSE_TIMEOUT_MS,
  MAX_PAYLOAD_BYTES,
  SEND_HIGH_WATER_BYTES,
  SEND_LIMIT_BYTES,
  SMALL_BODY_BYTES,
} from "./core/limits.ts";
import { Session } from "./core/session.ts";
import type { Role } from "./core/session.ts";
import type { SessionEvent } from "./core/session-event.ts";
import type { MuxDeps } from "./mux-deps.ts";
import type { SessionEnd } from "./session-end.ts";
import { MuxedStream } from "./muxed-stream.ts";
import type { StreamHost } from "./muxed-stream.ts";
import type { Transport } from "./transport.ts";
import type { ResponderStream, StreamHandler, TunnelStream } from "./tunnel-stream.ts";

const EMPTY = new Uint8Array(0);
/** WebSocket close codes (RFC 6455 §7.4.1). */
const CLOSE_NORMAL = 1000;
const CLOSE_PROTOCOL_ERROR = 1002;
const CLOSE_UNSUPPORTED_DATA = 1003;

type ControlEvent = Extract<
  SessionEvent,
  { name: "hello" | "welcome" | "refused" | "replaced" | "drain" | "gap" }
>;
type StreamEvent = Exclude<SessionEvent, ControlEvent>;

export interface MuxedSessionEvents {
  onControl(event: ControlEvent): void;
  onRequest(
    head: RequestHead,
    stream: ResponderStream,
    first: Uint8Array,
    ended: boolean,
  ): StreamHandler | undefined;
  onEnd(end: SessionEnd): void;
}

/** Joins the core, the streams' owners and one transport, and watches the link. */
export class MuxedSession implements StreamHost {
  readonly core: Session;
  readonly #transport: Transport;
  readonly #events: MuxedSessionEvents;
  readonly #streams = new Map<number, MuxedStream>();
  /** Streams with bytes for a transport that is full, in the order in which they get their turn. */
  readonly #waiting = new Set<MuxedStream>();
  #dispatching: MuxedStream | undefined;
  readonly #now: () => number;
  readonly #schedule: NonNullable<MuxDeps["schedule"]>;
  readonly #heartbeat: Heartbeat;
  #cancelBeat = (): void => {};
  #cancelCloseTimeout = (): void => {};
  /** From the high-water mark down to the low one: without the gap, streams with fresh credit would starve those in line. */
  #isFull = false;
  #end: SessionEnd | undefined;
  #isOver = false;

  constructor(role: Role, transport: Transport, deps: MuxDeps, events: MuxedSessionEvents) {
    this.core = new Session(role);
    this.#transport = transport;
    this.#events = events;
    this.#now = deps.now ?? (() => performance.now());
    this.#schedule = deps.schedule ?? scheduleTimeout;
    this.#heartbeat = new Heartbeat(this.#now());
    transport.setHandler({
      onMessage: (message) => this.#receive(message),
      onPong: () => this.#heartbeat.seen(this.#now()),
      onViolation: (reason) => this.#startClose(CLOSE_UNSUPPORTED_DATA, { kind: "protocol", reason }),
      onDrain: () => this.#drain(),
      onClose: (clean, reason) => this.#finish(this.#end ?? { kind: clean ? "closed" : "lost", reason }),
    });
    this.#beat();
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  get writable(): boolean {
    if (this.#transport.bufferedBytes >= SEND_HIGH_WATER_BYTES) this.#isFull = true;
    return !this.#isFull;
  }

  mayRide(body: Uint8Array): boolean {
    return body.length <= SMALL_BODY_BYTES || (body.length <= MAX_PAYLOAD_BYTES && this.writable);
  }

  control(send: (core: Session) => void): void {
    if (this.#end !== undefined || this.#isOver) return;
    send(this.core);
    this.#flush();
  }

  /** @throws ProtocolError `too-many-streams`, `session-not-open`, `head-too-large`, `malformed-frame` */
  open(head: RequestHead, handler: StreamHandler, body: Uint8Array = EMPTY, end = false): TunnelStream {
    if (this.#end !== undefined || this.#isOver)
      throw new ProtocolError("session-not-open", "the session is over");
    const rides = this.mayRide(body);
    const id = this.core.openStream(head, rides ? body : EMPTY, rides && end);
    const stream = new MuxedStream(id, this);
    stream.setHandler(handler);
    this.#streams.set(id, stream);
    this.#flush();
    if (!rides) {
      stream.write(body);
      if (end) stream.end();
    }
    return stream;
  }

  close(reason: string): void {
    this.#startClose(CLOSE_NORMAL, { kind: "closed", reason });
  }

  terminate(): void {
    this.#giveUp("the link was dropped");
  }

  settle(stream: MuxedStream): void {
    this.#flush();
    if (this.core.stateOf(stream.id) !== undefined) return;
    // The message at hand may still have more to say to the owner: the end after the last bytes, say.
    if (stream === this.#dispatching) return;
    this.#streams.delete(stream.id);
    this.#waiting.delete(stream);
    stream.onClose();
  }

  await(stream: MuxedStream): void {
    this.#waiting.add(stream);
  }

  #receive(message: Uint8Array): void {
    if (this.#end !== undefined) return;
    this.#heartbeat.seen(this.#now());
    let event: SessionEvent | undefined;
    try {
      event = this.core.receive(message);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#startClose(CLOSE_PROTOCOL_ERROR, { kind: "protocol", reason: `${error.code}: ${error.message}` });
      return;
    }
    if (event === undefined) this.#flush();
    else if ("stream" in event) this.#dispatch(event);
    else this.#events.onControl(event);
  }

  #dispatch(event: StreamEvent): void {
    if (event.name === "request") return this.#accept(event);
    const stream = this.#streams.get(event.stream);
    if (stream === undefined) return;
    this.#dispatching = stream;
    this.#tell(stream, event);
    this.#dispatching = undefined;
    this.settle(stream);
  }

  #tell(stream: MuxedStream, event: Exclude<StreamEvent, { name: "request" }>): void {
    const { handler } = stream;
    switch (event.name) {
      case "response":
        handler?.onResponse?.(event.head);
        if (event.body.length > 0 && !stream.closed) handler?.onData(event.body);
        if (event.end && !stream.closed) handler?.onEnd([]);
        break;
      case "data":
        handler?.onData(event.chunk);
        break;
      case "end":
        handler?.onEnd(event.trailers);
        break;
      case "stop":
        stream.onStop(event.code);
        break;
      case "reset":
        handler?.onReset(event.code, event.reason);
        break;
      case "credit":
        stream.pump(Number.POSITIVE_INFINITY);
        break;
    }
  }

  #accept(event: SessionEvent & { name: "request" }): void {
    const stream = new MuxedStream(event.stream, this);
    this.#streams.set(event.stream, stream);
    const handler = this.#events.onRequest(event.head, stream, event.body, event.end);
    if (handler !== undefined) stream.setHandler(handler);
    // The owner may have ended the stream before it gave its handler: that handler still gets its one `onClose`.
    if (stream.closed) handler?.onClose();
  }

  /** Gives each waiting stream one message in turn, so that a large body delays a small one by little. */
  #drain(): void {
    this.#isFull = false;
    for (const stream of this.#waiting) {
      if (!this.writable) return;
      this.#waiting.delete(stream);
      // A stream that still has bytes puts itself at the end of the line.
      stream.pump(MAX_PAYLOAD_BYTES);
    }
  }

  #flush(): void {
    for (const message of this.core.takeOutgoing()) this.#transport.send(message);
    if (this.#transport.bufferedBytes > SEND_LIMIT_BYTES) this.#giveUp("the other side does not read");
  }

  #beat(): void {
    const action = this.#heartbeat.check(this.#now());
    if (action.do === "give-up") return this.#giveUp("the other side did not answer a ping in time");
    if (action.do === "ping") this.#transport.ping();
    this.#cancelBeat = this.#schedule(() => this.#beat(), action.nextMs);
  }

  #giveUp(reason: string): void {
    this.#end ??= { kind: "lost", reason };
    this.#transport.terminate();
  }

  #startClose(code: number, end: SessionEnd): void {
    if (this.#end !== undefined || this.#isOver) return;
    this.#end = end;
    this.#cancelCloseTimeout = this.#schedule(() => this.#transport.terminate(), CLOSE_TIMEOUT_MS);
    this.#transport.close(code, end.reason);
    this.#resetAll(end.reason);
  }

  #finish(end: SessionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end ??= end;
    this.#cancelBeat();
    this.#cancelCloseTimeout();
    this.#resetAll(end.reason);
    this.#events.onEnd(end);
  }

  #resetAll(reason: string): void {
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    this.#waiting.clear();
    for (const stream of streams) {
      stream.handler?.onReset("session-lost", reason);
      stream.onClose();
    }
  }
}

function scheduleTimeout(run: () => void, afterMs: number): () => void {
  const timer = setTimeout(run, afterMs);
  return () => clearTimeout(timer);
}
