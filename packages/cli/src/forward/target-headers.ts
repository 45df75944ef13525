import type { HeaderList } from "@tenfold/protocol";
import { getHeader, getHeaders, removeHeader, setHeader } from "@tenfold/providers";
import type { RequestBody } from "./forwarder.ts";
import type { Target } from "./target.ts";

/** Fields of one connection, never passed on (RFC 9110 §7.6.1), beside those that `Connection` names. */
const HOP_BY_HOP: readonly string[] = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
];

/** What can't be removed by naming it in `Connection`: the message would be framed or routed in another way. */
const NEVER_NAMED: readonly string[] = ["host", "content-length"];

/**
 * Methods whose request without `Content-Length` and `Transfer-Encoding` is plainly one without a body. For all others an
 * empty body is said with `Content-Length: 0` (RFC 9110 §8.6); servers answer 411 otherwise.
 */
const METHODS_WITHOUT_BODY: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT",
]);

/** What a request needs to be framed. */
export interface FramedRequest {
  readonly method: string;
  readonly headers: HeaderList;
  readonly body: RequestBody;
}

/**
 * Adds the delivery's key in the header that the target asked for, at the end. The same list comes back when the target
 * asked for none, or when a header of that name is there already.
 */
export function withKeyHeader(headers: HeaderList, target: Target, key: string): HeaderList {
  const name = target.idempotencyHeader;
  if (name === null || getHeader(headers, name) !== undefined) {
    return headers;
  }
  return [...headers, name, key];
}

/** The headers that go on the wire to a target: Host by its rule, nothing hop-by-hop, framed for the body. */
export function targetHeaders(target: Target, request: FramedRequest): HeaderList {
  return withFraming(withHost(forwardable(request.headers, ["expect"]), target), request);
}

/** The headers of an answer without the hop-by-hop ones; all others in order, with case and repeats. */
export function answerHeaders(headers: HeaderList): HeaderList {
  return forwardable(headers, []);
}

/** Request-target on the wire: the target's base path, once, before the path as received. `*` stays `*`. */
export function targetPath(target: Target, path: string): string {
  if (path === "*") {
    return path;
  }
  return `${basePathOf(target)}${path.startsWith("/") ? "" : "/"}${path}`;
}

/** Host and port of a target as a Host header names them: no port where it is the scheme's default. */
export function targetAuthority(target: Target): string {
  return target.url.replace(/^https?:\/\//, "").replace(/\/.*$/, "");
}

function basePathOf(target: Target): string {
  return target.url.slice(target.url.indexOf("//") + 2 + targetAuthority(target).length);
}

/** The relay answers `Expect: 100-continue` itself, so that field goes no further than here either. */
function forwardable(headers: HeaderList, also: readonly string[]): HeaderList {
  const named = getHeaders(headers, "connection").flatMap((value) => value.toLowerCase().split(","));
  const dropped = new Set([...named.map((name) => name.trim()), ...HOP_BY_HOP, ...also]);
  for (const name of NEVER_NAMED) {
    dropped.delete(name);
  }
  const kept: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? "";
    if (!dropped.has(name.toLowerCase())) {
      kept.push(name, headers[index + 1] ?? "");
    }
  }
  return kept;
}

function withHost(headers: HeaderList, target: Target): HeaderList {
  if (target.hostHeader === "preserve") {
    return getHeader(headers, "host") === undefined ? ["Host", targetAuthority(target), ...headers] : headers;
  }
  const value = target.hostHeader === "rewrite" ? targetAuthority(target) : target.hostHeader.value;
  return setHeader(headers, "Host", value);
}

function withFraming(received: HeaderList, request: FramedRequest): HeaderList {
  const lengths = getHeaders(received, "content-length");
  const hasOneLength = lengths.length === 1 && /^[0-9]+$/.test(lengths[0] ?? "");
  if (!(request.body instanceof Uint8Array) && !hasOneLength) {
    return [...removeHeader(received, "content-length"), "Transfer-Encoding", "chunked"];
  }
  // Only a chunked body has trailers to announce; Node refuses the field anywhere else.
  const headers = removeHeader(received, "trailer");
  if (!(request.body instanceof Uint8Array)) {
    return headers;
  }
  const size = request.body.length;
  if (hasOneLength && Number(lengths[0]) === size) {
    return headers;
  }
  if (lengths.length === 0 && size === 0 && METHODS_WITHOUT_BODY.has(request.method.toUpperCase())) {
    return headers;
  }
  // A HEAD-like request may carry the length of a body that it has not; with another body that length would be a lie.
  return size === 0 && METHODS_WITHOUT_BODY.has(request.method.toUpperCase())
    ? removeHeader(headers, "content-length")
    : setHeader(headers, "Content-Length", String(size));
}
