import { REFUSAL_CODES } from "./handshake.ts";
import type { Hello, Refusal, Welcome } from "./handshake.ts";
import type { HeaderList, RequestHead, ResponseHead } from "./head.ts";
import { ProtocolError } from "./errors.ts";
import type { Gap } from "./frame.ts";

type Fields = Readonly<Record<string, unknown>>;

export function toHello(value: unknown): Hello {
  const fields = toFields(value, "hello");
  const name = fields["name"];
  return {
    version: text(fields, "version"),
    token: text(fields, "token"),
    ...(name === undefined ? {} : { name: text(fields, "name") }),
    resumeSecret: text(fields, "resumeSecret"),
    agent: text(fields, "agent"),
  };
}

export function toWelcome(value: unknown): Welcome {
  const fields = toFields(value, "welcome");
  const limits = toFields(fields["limits"], "welcome.limits");
  return {
    sessionId: text(fields, "sessionId"),
    name: text(fields, "name"),
    url: text(fields, "url"),
    leaseMs: count(fields, "leaseMs"),
    limits: { maxStreams: positive(limits, "maxStreams"), maxBodyBytes: count(limits, "maxBodyBytes") },
  };
}

export function toRefusal(value: unknown): Refusal {
  const fields = toFields(value, "refused");
  const code = REFUSAL_CODES.find((known) => known === fields["code"]);
  if (code === undefined) throw malformed("refused.code is none of the known codes");
  return { code, reason: text(fields, "reason"), hint: text(fields, "hint") };
}

export function toReason(value: unknown): string {
  return text(toFields(value, "reason"), "reason");
}

export function toGap(value: unknown): Gap {
  const fields = toFields(value, "gap");
  return { count: count(fields, "count"), from: time(fields, "from"), to: time(fields, "to") };
}

export function toRequestHead(value: unknown): RequestHead {
  const fields = toFields(value, "request head");
  return {
    id: text(fields, "id"),
    receivedAt: time(fields, "receivedAt"),
    method: token(fields, "method"),
    target: requestTarget(fields),
    headers: toHeaders(fields["headers"]),
  };
}

export function toResponseHead(value: unknown): ResponseHead {
  const fields = toFields(value, "response head");
  const status = count(fields, "status");
  if (status < 100 || status > 599) throw malformed(`a status of ${status}`);
  const statusText = text(fields, "statusText");
  if (UNSAFE_VALUE.test(statusText)) throw malformed("a reason phrase with a line break");
  return { status, statusText, headers: toHeaders(fields["headers"]) };
}

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/u;
/** What would end a header line, or is no byte at all: a head that holds it could smuggle another. */
const UNSAFE_VALUE = /[\0\r\n]|[^\0-\u00FF]/u;
const UNSAFE_TARGET = /[\0-\u0020\u007F]|[^\0-\u00FF]/u;

export function toHeaders(value: unknown): HeaderList {
  if (!Array.isArray(value) || value.length % 2 !== 0) throw malformed("headers that are no list of pairs");
  for (let i = 0; i < value.length; i += 2) {
    const name: unknown = value[i];
    const field: unknown = value[i + 1];
    if (typeof name !== "string" || !TOKEN.test(name)) throw malformed("a header name that is no token");
    if (typeof field !== "string" || UNSAFE_VALUE.test(field))
      throw malformed("a header value that can't be sent");
  }
  return value as string[];
}

function requestTarget(fields: Fields): string {
  const target = text(fields, "target");
  if (target === "" || UNSAFE_TARGET.test(target)) throw malformed("a request-target that can't be sent");
  return target;
}

function token(fields: Fields, name: string): string {
  const value = text(fields, name);
  if (!TOKEN.test(value)) throw malformed(`${name} is no token`);
  return value;
}

function toFields(value: unknown, what: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw malformed(`${what} is no object`);
  return value as Fields;
}

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string") throw malformed(`${name} is no string`);
  return value;
}

function count(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw malformed(`${name} is no count`);
  return value;
}

function positive(fields: Fields, name: string): number {
  const value = count(fields, name);
  if (value === 0) throw malformed(`${name} is 0`);
  return value;
}

/** The last moment that a `Date` can hold, in ms since the epoch (ECMA-262 §21.4.1.1). */
const MAX_TIME_MS = 8_640_000_000_000_000;

function time(fields: Fields, name: string): number {
  const value = count(fields, name);
  if (value > MAX_TIME_MS) throw malformed(`${name} is no time`);
  return value;
}

function malformed(what: string): ProtocolError {
  return new ProtocolError("malformed-frame", `a payload does not fit: ${what}`);
}
