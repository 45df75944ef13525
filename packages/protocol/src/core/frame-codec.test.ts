import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyFrame, HELLO, REQUEST, RESPONSE, WELCOME } from "../testing/frame-factory.ts";
import { ProtocolError } from "./errors.ts";
import { encodeFrame, FrameDecoder } from "./frame-codec.ts";
import type { Frame } from "./frame.ts";
import { MAX_HEAD_BYTES, MAX_MESSAGE_BYTES, MAX_PAYLOAD_BYTES } from "./limits.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const ascii = (text: string) => Buffer.from(text, "latin1").toString("hex");
const body = (text: string) => new Uint8Array(Buffer.from(text));

function decodeAll(messages: readonly Uint8Array[]): Frame[] {
  const decoder = new FrameDecoder();
  return messages.map((message) => decoder.decode(message)).filter((frame) => frame !== undefined);
}

/** Byte arrays of one kind, so that frames compare by content. */
function comparable(frame: Frame): unknown {
  return JSON.parse(
    JSON.stringify(frame, (_key, value: unknown) => (value instanceof Uint8Array ? hex(value) : value)),
  );
}

describe("the bytes of each frame", () => {
  const requestJson = '{"id":"dlv_1","receivedAt":7,"method":"POST","target":"/","headers":["A","b"]}';
  const golden: [string, Frame, string][] = [
    [
      "hello",
      { name: "hello", hello: HELLO },
      `0100000000${ascii('{"version":"1","token":"token","resumeSecret":"resume","agent":"test/1"}')}`,
    ],
    [
      "welcome",
      { name: "welcome", welcome: WELCOME },
      `0200000000${ascii('{"sessionId":"ses_1","name":"shop","url":"http://127.0.0.1:1/t/shop","leaseMs":60000,"limits":{"maxStreams":4,"maxBodyBytes":0}}')}`,
    ],
    [
      "refused",
      { name: "refused", refusal: { code: "bad-token", reason: "r", hint: "h" } },
      `0300000000${ascii('{"code":"bad-token","reason":"r","hint":"h"}')}`,
    ],
    [
      "replaced",
      { name: "replaced", reason: "\u00E9\u2028" },
      `0400000000${ascii('{"reason":"\\u00e9\\u2028"}')}`,
    ],
    ["drain", { name: "drain", reason: "" }, `0500000000${ascii('{"reason":""}')}`],
    [
      "gap",
      { name: "gap", gap: { count: 1, from: 2, to: 3 } },
      `0600000000${ascii('{"count":1,"from":2,"to":3}')}`,
    ],
    [
      "request with its body and end",
      { name: "request", stream: 1, head: REQUEST, body: body("hi"), end: true },
      `1000000001010000004e${ascii(requestJson)}6869`,
    ],
    [
      "response",
      { name: "response", stream: 0x01_02_03_04, head: RESPONSE, body: body(""), end: false },
      `11010203040000000030${ascii('{"status":200,"statusText":"OK","headers":[]}')}`.replace(
        "00000030",
        "0000002d",
      ),
    ],
    ["data", { name: "data", stream: 2, chunk: body("\u0000x") }, "12000000020078"],
    ["end without trailers", { name: "end", stream: 2, trailers: [] }, "1300000002"],
    [
      "end with trailers",
      { name: "end", stream: 2, trailers: ["A", "b"] },
      `1300000002${ascii('["A","b"]')}`,
    ],
    ["stop", { name: "stop", stream: 2, code: "too-large" }, `1400000002${ascii('{"code":"too-large"}')}`],
    [
      "reset",
      { name: "reset", stream: 2, code: "target-refused", reason: "r" },
      `1500000002${ascii('{"code":"target-refused","reason":"r"}')}`,
    ],
    ["window", { name: "window", stream: 2, bytes: 0x02_00_00 }, "160000000200020000"],
  ];

  it.each(golden)("are fixed for %s", (_, frame, expected) => {
    expect(encodeFrame(frame).map(hex)).toEqual([expected]);
    expect(decodeAll(encodeFrame(frame)).map(comparable)).toEqual([comparable(frame)]);
  });

  it("come back as the same frame, whatever they hold", () => {
    fc.assert(
      fc.property(anyFrame, (frame) => {
        expect(decodeAll(encodeFrame(frame)).map(comparable)).toEqual([comparable(frame)]);
      }),
    );
  });
});

describe("a large head", () => {
  it("goes on in continuation messages, none above the limit, and its body follows as data", () => {
    const headers = ["X-Long", "\u00FF".repeat(70_000)];
    const messages = encodeFrame({
      name: "request",
      stream: 3,
      head: { ...REQUEST, headers },
      body: new Uint8Array(70_000),
      end: true,
    });

    expect(Math.max(...messages.map((message) => message.length))).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
    expect(messages.map((message) => message[0])).toEqual([
      0x10,
      ...Array<number>(messages.length - 4).fill(0x17),
      0x12,
      0x12,
      0x13,
    ]);
    const [head, ...rest] = decodeAll(messages);
    expect(head).toMatchObject({ name: "request", head: { headers }, end: false });
    expect(rest.map((frame) => frame.name)).toEqual(["data", "data", "end"]);
  });

  it("is refused beyond the limit, on both sides", () => {
    const head = { ...REQUEST, headers: ["A", "b".repeat(MAX_HEAD_BYTES)] };
    expect(() => encodeFrame({ name: "request", stream: 3, head, body: body(""), end: true })).toThrow(
      expect.objectContaining({ code: "head-too-large" }),
    );
    const decoder = new FrameDecoder();
    const part = new Uint8Array(MAX_MESSAGE_BYTES).fill(0x20);
    part.set([0x10, 0, 0, 0, 1, 0b10, 0, 0, 0xff, 0xfb]);
    expect(() => {
      for (let i = 0; i < 20; i += 1) {
        decoder.decode(part);
        part[0] = 0x17;
      }
    }).toThrow(expect.objectContaining({ code: "head-too-large" }));
  });

  it("is not interrupted by another message", () => {
    const messages = encodeFrame({
      name: "response",
      stream: 3,
      head: { ...RESPONSE, headers: ["A", "b".repeat(90_000)] },
      body: body(""),
      end: false,
    });
    const decoder = new FrameDecoder();
    decoder.decode(messages[0] ?? body(""));
    expect(() => decoder.decode(new Uint8Array([0x13, 0, 0, 0, 3]))).toThrow(
      expect.objectContaining({ code: "unexpected-frame" }),
    );
  });
});

/** The error of decoding these bytes alone, if there is one. */
function errorOf(bytes: Uint8Array): unknown {
  try {
    new FrameDecoder().decode(bytes);
    return undefined;
  } catch (error) {
    return error;
  }
}

const isOurs = (error: unknown) => error === undefined || error instanceof ProtocolError;

describe("hostile bytes", () => {
  it("give a ProtocolError and nothing else", () => {
    const types = fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0xff);
    const message = fc
      .tuple(types, fc.uint8Array({ maxLength: 64 }))
      .map(([type, rest]) => new Uint8Array([type, ...rest]));
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 64 }), message);
    fc.assert(
      fc.property(bytes, (hostile) => {
        expect(errorOf(hostile)).toSatisfy(isOurs);
      }),
      { numRuns: 2000 },
    );
  });

  it("give a ProtocolError also when one byte of a good frame is changed or it is cut anywhere", () => {
    fc.assert(
      fc.property(anyFrame, fc.nat(), fc.integer({ min: 0, max: 255 }), (frame, position, value) => {
        const [message = body("")] = encodeFrame(frame);
        const changed = message.slice();
        changed[position % changed.length] = value;
        expect(errorOf(changed)).toSatisfy(isOurs);
        expect(errorOf(message.slice(0, position % message.length))).toSatisfy(isOurs);
      }),
    );
  });

  it.each([
    ["a header line break in a request", { ...REQUEST, headers: ["A", "b\r\nX: y"] }],
    ["a space in the request-target", { ...REQUEST, target: "/a b" }],
    ["a method that is no token", { ...REQUEST, method: "PO ST" }],
    ["a time beyond what a Date can hold", { ...REQUEST, receivedAt: 9e15 }],
    ["half a header pair", { ...REQUEST, headers: ["A"] }],
    ["a header name with a colon", { ...REQUEST, headers: ["A:", "b"] }],
    ["a header value beyond one byte a character", { ...REQUEST, headers: ["A", "\u0100"] }],
  ])("cannot smuggle %s", (_, head) => {
    const [message = body("")] = encodeFrame({ name: "request", stream: 1, head, body: body(""), end: true });
    expect(() => new FrameDecoder().decode(message)).toThrow(
      expect.objectContaining({ code: "malformed-frame" }),
    );
  });

  it.each([
    ["bytes beyond ASCII in JSON", { name: "drain", reason: "a~b" } as const, [0x7e, 0x80]],
    ["a control character in JSON", { name: "drain", reason: "a~b" } as const, [0x7e, 0x0a]],
    [
      "a welcome that allows no stream",
      { name: "welcome", welcome: { ...WELCOME, limits: { maxStreams: 9, maxBodyBytes: 0 } } } as const,
      [0x39, 0x30],
    ],
  ])("are refused: %s", (_, frame, [from = 0, to = 0]) => {
    const [message = body("")] = encodeFrame(frame);
    expect(errorOf(message)).toBeUndefined();
    expect(errorOf(message.map((byte) => (byte === from ? to : byte)))).toMatchObject({
      code: "malformed-frame",
    });
  });

  it("are refused when a message is larger than the largest payload", () => {
    expect(() => new FrameDecoder().decode(new Uint8Array(MAX_MESSAGE_BYTES + 1).fill(0x12))).toThrow(
      ProtocolError,
    );
    expect(() =>
      encodeFrame({ name: "data", stream: 1, chunk: new Uint8Array(MAX_PAYLOAD_BYTES + 1) }),
    ).toThrow(ProtocolError);
  });
});
