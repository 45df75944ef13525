import fc from "fast-check";
import { RESET_CODES, STOP_CODES } from "../core/close-code.ts";
import type { Frame } from "../core/frame.ts";
import { REFUSAL_CODES } from "../core/handshake.ts";
import type { Hello, Welcome } from "../core/handshake.ts";
import type { RequestHead, ResponseHead } from "../core/head.ts";

export const HELLO: Hello = { version: "1", token: "token", resumeSecret: "resume", agent: "test/1" };
export const WELCOME: Welcome = {
  sessionId: "ses_1",
  name: "shop",
  url: "http://127.0.0.1:1/t/shop",
  leaseMs: 60_000,
  limits: { maxStreams: 4, maxBodyBytes: 0 },
};
export const REQUEST: RequestHead = {
  id: "dlv_1",
  receivedAt: 7,
  method: "POST",
  target: "/",
  headers: ["A", "b"],
};
export const RESPONSE: ResponseHead = { status: 200, statusText: "OK", headers: [] };

const stream = fc.integer({ min: 1, max: 0xff_ff_ff_ff });
const count = fc.nat();
const anyText = fc.string({ unit: "binary", maxLength: 50 });
const latin1 = (excluded: string) =>
  fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 40 }).map((codes) =>
    codes
      .map((code) => String.fromCharCode(code))
      .filter((char) => !excluded.includes(char))
      .join(""),
  );
const token = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,12}$/u);
const headers = fc.array(fc.tuple(token, latin1("\0\r\n")), { maxLength: 8 }).map((pairs) => pairs.flat());
const bytes = fc.uint8Array({ maxLength: 300 });
const target = fc.stringMatching(/^\/[!-~]{0,30}$/u);

const requestHead = fc.record({ id: anyText, receivedAt: count, method: token, target, headers });
const responseHead = fc.record({
  status: fc.integer({ min: 100, max: 599 }),
  statusText: latin1("\0\r\n"),
  headers,
});
const welcome = fc.record({
  sessionId: anyText,
  name: anyText,
  url: anyText,
  leaseMs: count,
  limits: fc.record({ maxStreams: fc.integer({ min: 1, max: 100_000 }), maxBodyBytes: count }),
});
const hello = fc.record(
  { version: anyText, token: anyText, name: anyText, resumeSecret: anyText, agent: anyText },
  { requiredKeys: ["version", "token", "resumeSecret", "agent"] },
);
const refusal = fc.record({ code: fc.constantFrom(...REFUSAL_CODES), reason: anyText, hint: anyText });

/** Any frame that may stand on the wire. */
export const anyFrame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({ name: fc.constant("hello"), hello }),
  fc.record({ name: fc.constant("welcome"), welcome }),
  fc.record({ name: fc.constant("refused"), refusal }),
  fc.record({ name: fc.constantFrom("replaced", "drain"), reason: anyText }),
  fc.record({ name: fc.constant("gap"), gap: fc.record({ count, from: count, to: count }) }),
  fc.record({ name: fc.constant("request"), stream, head: requestHead, body: bytes, end: fc.boolean() }),
  fc.record({ name: fc.constant("response"), stream, head: responseHead, body: bytes, end: fc.boolean() }),
  fc.record({ name: fc.constant("data"), stream, chunk: fc.uint8Array({ minLength: 1, maxLength: 300 }) }),
  fc.record({ name: fc.constant("end"), stream, trailers: headers }),
  fc.record({ name: fc.constant("stop"), stream, code: fc.constantFrom(...STOP_CODES) }),
  fc.record({ name: fc.constant("reset"), stream, code: fc.constantFrom(...RESET_CODES), reason: anyText }),
  fc.record({ name: fc.constant("window"), stream, bytes: fc.integer({ min: 0, max: 0xff_ff_ff_ff }) }),
) as fc.Arbitrary<Frame>;
