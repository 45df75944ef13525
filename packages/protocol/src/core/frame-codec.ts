import { decodeJson, encodeJson } from "./ascii-json.ts";
import {
  toGap,
  toHeaders,
  toHello,
  toReason,
  toRefusal,
  toRequestHead,
  toResponseHead,
  toWelcome,
} from "./check-payload.ts";
import { RESET_CODES, STOP_CODES } from "./close-code.ts";
import { ProtocolError } from "./errors.ts";
import { FRAME_TYPE } from "./frame.ts";
import type { ControlFrame, Frame, FrameName, StreamFrame } from "./frame.ts";
import {
  FRAME_HEADER_BYTES,
  MAX_HEAD_BYTES,
  MAX_MESSAGE_BYTES,
  MAX_PAYLOAD_BYTES,
  MAX_REASON_CHARS,
} from "./limits.ts";

/** Flags of a head message. */
const END = 0b01;
const MORE = 0b10;
/** `flags u8 · length of this part of the head u32`. */
const HEAD_PREFIX_BYTES = 5;
const EMPTY = new Uint8Array(0);

const NAME_OF_TYPE = new Map<number, FrameName>(
  Object.entries(FRAME_TYPE).map(([name, type]) => [type, name as FrameName]),
);

/** The messages of a frame: one, unless its head needs continuations. */
export function encodeFrame(frame: Frame): Uint8Array[] {
  switch (frame.name) {
    case "hello":
      return [message("hello", 0, encodeJson(frame.hello))];
    case "welcome":
      return [message("welcome", 0, encodeJson(frame.welcome))];
    case "refused":
      return [message("refused", 0, encodeJson(frame.refusal))];
    case "replaced":
    case "drain":
      return [message(frame.name, 0, encodeJson({ reason: frame.reason }))];
    case "gap":
      return [message("gap", 0, encodeJson(frame.gap))];
    case "request":
    case "response":
      return encodeHead(frame);
    case "data":
      return [message("data", frame.stream, frame.chunk)];
    case "end":
      return [message("end", frame.stream, frame.trailers.length === 0 ? EMPTY : encodeJson(frame.trailers))];
    case "stop":
      return [message("stop", frame.stream, encodeJson({ code: frame.code }))];
    case "reset":
      return [
        message(
          "reset",
          frame.stream,
          encodeJson({ code: frame.code, reason: frame.reason.slice(0, MAX_REASON_CHARS) }),
        ),
      ];
    case "window":
      return [message("window", frame.stream, uint32(frame.bytes))];
  }
}

function encodeHead(frame: StreamFrame & { name: "request" | "response" }): Uint8Array[] {
  const head = encodeJson(frame.head);
  if (head.length > MAX_HEAD_BYTES)
    throw new ProtocolError(
      "head-too-large",
      `a head of ${head.length} bytes; the limit is ${MAX_HEAD_BYTES}`,
    );
  const room = MAX_PAYLOAD_BYTES - HEAD_PREFIX_BYTES;
  if (head.length + frame.body.length <= room) {
    return [headMessage(frame.name, frame.stream, frame.end ? END : 0, head, frame.body)];
  }
  const messages: Uint8Array[] = [];
  let at = 0;
  do {
    const part = head.subarray(at, at + room);
    at += part.length;
    const flags = at < head.length ? MORE : 0;
    messages.push(
      headMessage(messages.length === 0 ? frame.name : "continuation", frame.stream, flags, part, EMPTY),
    );
  } while (at < head.length);
  for (let start = 0; start < frame.body.length; start += MAX_PAYLOAD_BYTES) {
    messages.push(message("data", frame.stream, frame.body.subarray(start, start + MAX_PAYLOAD_BYTES)));
  }
  if (frame.end) messages.push(message("end", frame.stream, EMPTY));
  return messages;
}

function headMessage(
  name: FrameName,
  stream: number,
  flags: number,
  part: Uint8Array,
  body: Uint8Array,
): Uint8Array {
  const bytes = frameBytes(name, stream, HEAD_PREFIX_BYTES + part.length + body.length);
  bytes[FRAME_HEADER_BYTES] = flags;
  writeUint32(bytes, FRAME_HEADER_BYTES + 1, part.length);
  bytes.set(part, FRAME_HEADER_BYTES + HEAD_PREFIX_BYTES);
  bytes.set(body, FRAME_HEADER_BYTES + HEAD_PREFIX_BYTES + part.length);
  return bytes;
}

function message(name: FrameName, stream: number, payload: Uint8Array): Uint8Array {
  if (payload.length > MAX_PAYLOAD_BYTES)
    throw new ProtocolError(
      "malformed-frame",
      `a ${name} payload of ${payload.length} bytes; the limit is ${MAX_PAYLOAD_BYTES}`,
    );
  const bytes = frameBytes(name, stream, payload.length);
  bytes.set(payload, FRAME_HEADER_BYTES);
  return bytes;
}

function frameBytes(name: FrameName, stream: number, payloadBytes: number): Uint8Array {
  const bytes = new Uint8Array(FRAME_HEADER_BYTES + payloadBytes);
  bytes[0] = FRAME_TYPE[name];
  writeUint32(bytes, 1, stream);
  return bytes;
}

/** Turns messages into frames. It keeps one thing: a head whose continuations are still to come. */
export class FrameDecoder {
  #partial: { name: "request" | "response"; stream: number; parts: Uint8Array[]; bytes: number } | undefined;

  /**
   * `undefined`: the message was a part of a head that goes on.
   * @throws ProtocolError `malformed-frame`, `unexpected-frame`, `head-too-large`
   */
  decode(bytes: Uint8Array): Frame | undefined {
    if (bytes.length < FRAME_HEADER_BYTES || bytes.length > MAX_MESSAGE_BYTES)
      throw new ProtocolError("malformed-frame", `a message of ${bytes.length} bytes`);
    const name = NAME_OF_TYPE.get(bytes[0] ?? 0);
    if (name === undefined)
      throw new ProtocolError("malformed-frame", `a message of the unknown type ${bytes[0]}`);
    const stream = readUint32(bytes, 1);
    const payload = bytes.subarray(FRAME_HEADER_BYTES);
    if (this.#partial !== undefined && (name !== "continuation" || stream !== this.#partial.stream)) {
      throw new ProtocolError("unexpected-frame", `${name} in the middle of a head`);
    }
    if (name === "request" || name === "response" || name === "continuation")
      return this.#decodeHead(name, stream, payload);
    if (stream === 0) return decodeControl(name, payload);
    return decodeStream(name, stream, payload);
  }

  #decodeHead(
    name: "request" | "response" | "continuation",
    stream: number,
    payload: Uint8Array,
  ): Frame | undefined {
    if (stream === 0) throw new ProtocolError("malformed-frame", `${name} on stream 0`);
    if (payload.length < HEAD_PREFIX_BYTES)
      throw new ProtocolError("malformed-frame", `a ${name} that is too short`);
    const flags = payload[0] ?? 0;
    const length = readUint32(payload, 1);
    const part = payload.subarray(HEAD_PREFIX_BYTES, HEAD_PREFIX_BYTES + length);
    const body = payload.subarray(HEAD_PREFIX_BYTES + part.length);
    if (part.length !== length || flags > (END | MORE))
      throw new ProtocolError("malformed-frame", `a ${name} whose lengths do not fit`);
    const partial = this.#partial ?? this.#startHead(name, stream);
    partial.parts.push(part);
    partial.bytes += part.length;
    if (partial.bytes > MAX_HEAD_BYTES)
      throw new ProtocolError("head-too-large", `a head of more than ${MAX_HEAD_BYTES} bytes`);
    if ((flags & MORE) !== 0) {
      if (body.length > 0 || (flags & END) !== 0 || part.length === 0)
        throw new ProtocolError(
          "malformed-frame",
          "a part of a head that goes on, with a body, an end, or nothing",
        );
      this.#partial = partial;
      return undefined;
    }
    this.#partial = undefined;
    const json = decodeJson(partial.parts.length === 1 ? part : concat(partial.parts, partial.bytes));
    const end = (flags & END) !== 0;
    return partial.name === "request"
      ? { name: "request", stream, head: toRequestHead(json), body, end }
      : { name: "response", stream, head: toResponseHead(json), body, end };
  }

  #startHead(name: "request" | "response" | "continuation", stream: number) {
    if (name === "continuation")
      throw new ProtocolError("unexpected-frame", "a continuation without a head before it");
    return { name, stream, parts: [], bytes: 0 } as {
      name: "request" | "response";
      stream: number;
      parts: Uint8Array[];
      bytes: number;
    };
  }
}

function decodeControl(name: FrameName, payload: Uint8Array): ControlFrame {
  switch (name) {
    case "hello":
      return { name, hello: toHello(decodeJson(payload)) };
    case "welcome":
      return { name, welcome: toWelcome(decodeJson(payload)) };
    case "refused":
      return { name, refusal: toRefusal(decodeJson(payload)) };
    case "replaced":
    case "drain":
      return { name, reason: toReason(decodeJson(payload)) };
    case "gap":
      return { name, gap: toGap(decodeJson(payload)) };
    default:
      throw new ProtocolError("malformed-frame", `${name} on stream 0`);
  }
}

function decodeStream(name: FrameName, stream: number, payload: Uint8Array): StreamFrame {
  switch (name) {
    case "data":
      if (payload.length === 0) throw new ProtocolError("malformed-frame", "data without bytes");
      return { name, stream, chunk: payload };
    case "end":
      return { name, stream, trailers: payload.length === 0 ? [] : toHeaders(decodeJson(payload)) };
    case "stop":
      return { name, stream, code: knownCode(STOP_CODES, fieldsOf(payload)["code"]) };
    case "reset": {
      const { code, reason } = fieldsOf(payload);
      if (typeof reason !== "string" || reason.length > MAX_REASON_CHARS)
        throw new ProtocolError("malformed-frame", "a reset without a fitting reason");
      return { name, stream, code: knownCode(RESET_CODES, code), reason };
    }
    case "window":
      if (payload.length !== 4)
        throw new ProtocolError("malformed-frame", `a window of ${payload.length} bytes`);
      return { name, stream, bytes: readUint32(payload, 0) };
    default:
      throw new ProtocolError("malformed-frame", `${name} on stream ${stream}`);
  }
}

function fieldsOf(payload: Uint8Array): Readonly<Record<string, unknown>> {
  const value = decodeJson(payload);
  if (typeof value !== "object" || value === null)
    throw new ProtocolError("malformed-frame", "a payload that is no object");
  return value as Record<string, unknown>;
}

function knownCode<T extends string>(codes: readonly T[], value: unknown): T {
  const code = codes.find((known) => known === value);
  if (code === undefined) throw new ProtocolError("malformed-frame", "an unknown code");
  return code;
}

function concat(parts: readonly Uint8Array[], total: number): Uint8Array {
  const bytes = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  writeUint32(bytes, 0, value);
  return bytes;
}

function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

function readUint32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] ?? 0) * 0x1_00_00_00 +
      ((bytes[at + 1] ?? 0) << 16) +
      ((bytes[at + 2] ?? 0) << 8) +
      (bytes[at + 3] ?? 0)) >>>
    0
  );
}
