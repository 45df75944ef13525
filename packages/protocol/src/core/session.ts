import type { ResetCode, StopCode } from "./close-code.ts";
import { toRequestHead, toResponseHead } from "./check-payload.ts";
import { ProtocolError } from "./errors.ts";
import { encodeFrame, FrameDecoder } from "./frame-codec.ts";
import type { ControlFrame, Frame, Gap, StreamFrame } from "./frame.ts";
import { ReceiveWindow, SendWindow } from "./flow-window.ts";
import type { Hello, Refusal, Welcome } from "./handshake.ts";
import type { HeaderList, RequestHead, ResponseHead } from "./head.ts";
import { DEFAULT_MAX_STREAMS } from "./limits.ts";
import type { SessionEvent } from "./session-event.ts";
import { isClosed, OPEN, withLocal, withRemote } from "./stream-state.ts";
import type { StreamState } from "./stream-state.ts";

export type Role = "relay" | "agent";

/**
 * ```
 *   greeting ──hello──▶ deciding ──welcome──▶ open ──replaced──▶ over
 *                          └───────refused──────────────────────▶ over
 * ```
 */
type Phase = "greeting" | "deciding" | "open" | "over";

interface Stream {
  state: StreamState;
  readonly send: SendWindow;
  readonly receive: ReceiveWindow;
}

/**
 * The state machine of one session, without any I/O: it is fed messages and gives events, it is told intents and gives messages.
 * Any error that `receive` throws is a `ProtocolError` and means that the session is over.
 */
export class Session {
  readonly role: Role;
  readonly #decoder = new FrameDecoder();
  readonly #streams = new Map<number, Stream>();
  readonly #outgoing: Uint8Array[] = [];
  #phase: Phase = "greeting";
  #maxStreams = DEFAULT_MAX_STREAMS;
  #lastStream = 0;

  constructor(role: Role) {
    this.role = role;
  }

  get isOpen(): boolean {
    return this.#phase === "open";
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  /** Messages to send since the last call, in order. */
  takeOutgoing(): Uint8Array[] {
    return this.#outgoing.splice(0);
  }

  /** @throws ProtocolError when the peer broke the rules. */
  receive(message: Uint8Array): SessionEvent | undefined {
    const frame = this.#decoder.decode(message);
    if (frame === undefined) return undefined;
    return "stream" in frame ? this.#receiveStream(frame) : this.#receiveControl(frame);
  }

  sendHello(hello: Hello): void {
    this.#require("agent", "greeting");
    this.#phase = "deciding";
    this.#push({ name: "hello", hello });
  }

  sendWelcome(welcome: Welcome): void {
    this.#require("relay", "deciding");
    this.#phase = "open";
    this.#maxStreams = welcome.limits.maxStreams;
    this.#push({ name: "welcome", welcome });
  }

  sendRefusal(refusal: Refusal): void {
    this.#require("relay", "greeting", "deciding");
    this.#phase = "over";
    this.#push({ name: "refused", refusal });
  }

  sendReplaced(reason: string): void {
    this.#require("relay", "open");
    this.#phase = "over";
    this.#push({ name: "replaced", reason });
  }

  sendDrain(reason: string): void {
    this.#require("relay", "open");
    this.#push({ name: "drain", reason });
  }

  sendGap(gap: Gap): void {
    this.#require("relay", "open");
    this.#push({ name: "gap", gap });
  }

  /**
   * Opens a stream; returns its number. The body may be at most the initial window. A head that the peer would not take is
   * refused here, since there it would end the session.
   * @throws ProtocolError `too-many-streams`, `session-not-open`, `head-too-large`, `malformed-frame`
   */
  openStream(head: RequestHead, body: Uint8Array, end: boolean): number {
    this.#require("relay", "open");
    if (this.#streams.size >= this.#maxStreams)
      throw new ProtocolError("too-many-streams", `${this.#maxStreams} streams are open already`);
    const stream = this.#lastStream + 1;
    const opened = newStream();
    opened.send.take(body.length);
    this.#push({ name: "request", stream, head: toRequestHead(head), body, end });
    if (end) opened.state = withLocal(opened.state, "ended");
    this.#lastStream = stream;
    this.#streams.set(stream, opened);
    return stream;
  }

  /**
   * Sends the response head; false: the stream is over, or its answer was stopped.
   * @throws ProtocolError `head-too-large`, `malformed-frame`; `unexpected-frame` for a second head
   */
  respond(stream: number, head: ResponseHead, body: Uint8Array, end: boolean): boolean {
    const open = this.#sending(stream);
    if (open === undefined) return false;
    if (open.state.responded) throw new ProtocolError("unexpected-frame", "a second response head");
    const messages = encodeFrame({ name: "response", stream, head: toResponseHead(head), body, end });
    open.send.take(body.length);
    this.#outgoing.push(...messages);
    open.state = { ...open.state, responded: true, local: end ? "ended" : "open" };
    this.#forgetIfClosed(stream, open);
    return true;
  }

  /** Bytes that may be sent on the stream now; 0 too when its half is over. */
  credit(stream: number): number {
    return this.#sending(stream)?.send.available ?? 0;
  }

  sendData(stream: number, chunk: Uint8Array): void {
    const open = this.#sending(stream);
    if (open === undefined) return;
    this.#requireOwnHead(open);
    open.send.take(chunk.length);
    this.#push({ name: "data", stream, chunk });
  }

  sendEnd(stream: number, trailers: HeaderList): void {
    const open = this.#sending(stream);
    if (open === undefined) return;
    this.#requireOwnHead(open);
    this.#push({ name: "end", stream, trailers });
    open.state = withLocal(open.state, "ended");
    this.#forgetIfClosed(stream, open);
  }

  /** "I read no more of your half." */
  sendStop(stream: number, code: StopCode): void {
    const open = this.#streams.get(stream);
    if (open === undefined || open.state.remote !== "open") return;
    this.#push({ name: "stop", stream, code });
    open.state = withRemote(open.state, "stopped");
    this.#forgetIfClosed(stream, open);
  }

  sendReset(stream: number, code: ResetCode, reason: string): void {
    if (!this.#streams.delete(stream)) return;
    this.#push({ name: "reset", stream, code, reason });
  }

  /** Bytes of the peer's half have left our memory. */
  consume(stream: number, bytes: number): void {
    const open = this.#streams.get(stream);
    if (open === undefined || open.state.remote !== "open") return;
    const grant = open.receive.consume(bytes);
    if (grant > 0) this.#push({ name: "window", stream, bytes: grant });
  }

  stateOf(stream: number): StreamState | undefined {
    return this.#streams.get(stream)?.state;
  }

  #receiveControl(frame: ControlFrame): SessionEvent {
    switch (frame.name) {
      case "hello":
        this.#expect("relay", frame.name, "greeting");
        this.#phase = "deciding";
        return frame;
      case "welcome":
        this.#expect("agent", frame.name, "deciding");
        this.#phase = "open";
        this.#maxStreams = frame.welcome.limits.maxStreams;
        return frame;
      case "refused":
        this.#expect("agent", frame.name, "greeting", "deciding");
        this.#phase = "over";
        return frame;
      case "replaced":
        this.#expect("agent", frame.name, "open");
        this.#phase = "over";
        return frame;
      case "drain":
      case "gap":
        this.#expect("agent", frame.name, "open");
        return frame;
    }
  }

  #receiveStream(frame: StreamFrame): SessionEvent | undefined {
    if (this.#phase === "over") return undefined;
    if (this.#phase !== "open")
      throw new ProtocolError("unexpected-frame", `${frame.name} before the session is open`);
    if (frame.name === "request") return this.#receiveRequest(frame);
    const stream = this.#streams.get(frame.stream);
    if (stream === undefined) {
      // What crosses a reset or a stop on its way is late, not wrong.
      if (frame.stream <= this.#lastStream) return undefined;
      throw new ProtocolError(
        "unknown-stream",
        `${frame.name} for stream ${frame.stream}, which was never opened`,
      );
    }
    return this.#receiveOnOpen(frame, stream);
  }

  #receiveRequest(frame: StreamFrame & { name: "request" }): SessionEvent | undefined {
    if (this.role !== "agent") throw new ProtocolError("unexpected-frame", "a request from an agent");
    if (frame.stream <= this.#lastStream)
      throw new ProtocolError("unexpected-frame", `stream ${frame.stream} after ${this.#lastStream}`);
    this.#lastStream = frame.stream;
    if (this.#streams.size >= this.#maxStreams) {
      const reason = `more than ${this.#maxStreams} streams`;
      this.#push({ name: "reset", stream: frame.stream, code: "agent-unable", reason });
      return undefined;
    }
    const stream = newStream();
    stream.receive.receive(frame.body.length);
    if (frame.end) stream.state = withRemote(stream.state, "ended");
    this.#streams.set(frame.stream, stream);
    return frame;
  }

  #receiveOnOpen(frame: Exclude<StreamFrame, { name: "request" }>, stream: Stream): SessionEvent | undefined {
    switch (frame.name) {
      case "response":
        return this.#receiveResponse(frame, stream);
      case "data":
        this.#requireHead(frame.name, stream);
        return this.#receiveBytes(frame.name, stream, frame.chunk.length) ? frame : undefined;
      case "end":
        this.#requireHead(frame.name, stream);
        if (!this.#receiveBytes(frame.name, stream, 0)) return undefined;
        stream.state = withRemote(stream.state, "ended");
        return this.#afterHalf(frame, stream);
      case "stop":
        if (stream.state.local !== "open") return undefined;
        stream.state = withLocal(stream.state, "stopped");
        return this.#afterHalf(frame, stream);
      case "reset":
        this.#streams.delete(frame.stream);
        return frame;
      case "window":
        stream.send.grant(frame.bytes);
        return { name: "credit", stream: frame.stream };
    }
  }

  #receiveResponse(frame: StreamFrame & { name: "response" }, stream: Stream): SessionEvent | undefined {
    if (this.role !== "relay" || stream.state.responded)
      throw new ProtocolError("unexpected-frame", "a response head out of turn");
    const isWanted = this.#receiveBytes(frame.name, stream, frame.body.length);
    stream.state = { ...stream.state, responded: true };
    if (!isWanted) return undefined;
    if (frame.end) stream.state = withRemote(stream.state, "ended");
    return this.#afterHalf(frame, stream);
  }

  /** Accounts for bytes of the peer's half; false: we stopped it, and they are to be dropped. */
  #receiveBytes(name: Frame["name"], stream: Stream, bytes: number): boolean {
    if (stream.state.remote === "ended") throw new ProtocolError("unexpected-frame", `${name} after the end`);
    stream.receive.receive(bytes);
    return stream.state.remote === "open";
  }

  #requireHead(name: Frame["name"], stream: Stream): void {
    if (this.role === "relay" && !stream.state.responded)
      throw new ProtocolError("unexpected-frame", `${name} before the response head`);
  }

  #requireOwnHead(stream: Stream): void {
    if (this.role === "agent" && !stream.state.responded)
      throw new ProtocolError("unexpected-frame", "bytes or an end before our response head");
  }

  #afterHalf<E extends StreamFrame>(event: E, stream: Stream): E {
    this.#forgetIfClosed(event.stream, stream);
    return event;
  }

  #sending(stream: number): Stream | undefined {
    const open = this.#streams.get(stream);
    return open?.state.local === "open" ? open : undefined;
  }

  #forgetIfClosed(stream: number, open: Stream): void {
    if (isClosed(open.state)) this.#streams.delete(stream);
  }

  #push(frame: Frame): void {
    this.#outgoing.push(...encodeFrame(frame));
  }

  #require(role: Role, ...phases: readonly Phase[]): void {
    if (this.role !== role || !phases.includes(this.#phase))
      throw new ProtocolError("session-not-open", `not possible for the ${this.role} while ${this.#phase}`);
  }

  #expect(role: Role, name: Frame["name"], ...phases: readonly Phase[]): void {
    if (this.role !== role || !phases.includes(this.#phase))
      throw new ProtocolError("unexpected-frame", `${name} while ${this.#phase}`);
  }
}

function newStream(): Stream {
  return { state: OPEN, send: new SendWindow(), receive: new ReceiveWindow() };
}
