import type { Outcome } from "../history/history-store.ts";

/** Where and why no whole answer came. */
export interface ForwardFailure {
  readonly outcome: Extract<
    Outcome,
    "refused" | "reset" | "timeout" | "tls" | "bad-answer" | "truncated" | "cancelled"
  >;
  /** One line, plain words. */
  readonly cause: string;
}

/** A failure that the forwarder itself has found; all others come as system or parser errors. */
export class ForwardError extends Error {
  readonly failure: ForwardFailure;

  constructor(failure: ForwardFailure) {
    super(failure.cause);
    this.name = "ForwardError";
    this.failure = failure;
  }
}

const NOT_REACHED: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  EADDRNOTAVAIL: "address not available",
  EACCES: "connection not permitted",
  EPERM: "connection not permitted",
};
const NAME_CODES: ReadonlySet<string> = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA"]);
const BROKEN_CODES: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED"]);
/** Node's parser, and the wire protocol, which has a bound of its own for what a head takes there. */
const OVERSIZED_HEAD_CODES: ReadonlySet<string> = new Set(["HPE_HEADER_OVERFLOW", "head-too-large"]);
const PROTOCOL_QUESTION = "does the target speak https or another protocol?";
const TLS_CODES =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|EPROTO$|HOSTNAME_MISMATCH$|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_)/;
/** Node refuses to write such a request: a control character in a header, say. */
const UNSENDABLE_CODES: ReadonlySet<string> = new Set([
  "ERR_INVALID_CHAR",
  "ERR_INVALID_HTTP_TOKEN",
  "ERR_HTTP_INVALID_HEADER_VALUE",
  "ERR_UNESCAPED_CHARACTERS",
  "ERR_HTTP_TRAILER_INVALID",
  "ERR_HTTP_CONTENT_LENGTH_MISMATCH",
]);

/** Maps an error of a connection to a target, by its code, to an outcome with a cause for people. */
export function toForwardFailure(error: unknown, headCame: boolean): ForwardFailure {
  if (error instanceof ForwardError) {
    return error.failure;
  }
  const code = codeOf(error);
  if (code in NOT_REACHED || NAME_CODES.has(code)) {
    return { outcome: "refused", cause: refusalCause(error, code) };
  }
  if (code === "ETIMEDOUT" && !headCame) {
    return { outcome: "timeout", cause: `no connection to ${addressesOf(error).join(" and ")} in time` };
  }
  if (OVERSIZED_HEAD_CODES.has(code)) {
    return { outcome: "bad-answer", cause: "answer headers too large" };
  }
  if (code.startsWith("HPE_")) {
    return {
      outcome: "bad-answer",
      cause: `the answer is not valid HTTP/1.1 (${code}): ${PROTOCOL_QUESTION}`,
    };
  }
  if (TLS_CODES.test(code)) {
    return { outcome: "tls", cause: `no trusted TLS connection to the target (${code})` };
  }
  if (UNSENDABLE_CODES.has(code)) {
    return {
      outcome: "cancelled",
      cause: `the request can't be written as HTTP/1.1 (${code}); nothing was sent`,
    };
  }
  return brokenConnection(code, headCame);
}

function brokenConnection(code: string, headCame: boolean): ForwardFailure {
  const detail = BROKEN_CODES.has(code) || code === "" ? "" : ` (${code})`;
  return headCame
    ? { outcome: "truncated", cause: `the target closed the connection in the middle of its answer${detail}` }
    : { outcome: "reset", cause: `the target closed the connection before it answered${detail}` };
}

function refusalCause(error: unknown, code: string): string {
  if (NAME_CODES.has(code)) {
    return `the target's host name can't be resolved (${code})`;
  }
  const addresses = addressesOf(error);
  const where = addresses.length === 0 ? "" : ` at ${addresses.join(" and ")}`;
  const question = code === "ECONNREFUSED" ? ": is the app running?" : "";
  return `${NOT_REACHED[code] ?? code}${where}${question}`;
}

/** Addresses tried, each once: those of every attempt when several were made. */
function addressesOf(error: unknown): string[] {
  const attempts: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  return [...new Set(attempts.flatMap((attempt) => addressOf(attempt)))];
}

function addressOf(attempt: unknown): string[] {
  if (!(attempt instanceof Error) || !("address" in attempt) || !("port" in attempt)) {
    return [];
  }
  const address = String(attempt.address);
  return [`${address.includes(":") ? `[${address}]` : address}:${String(attempt.port)}`];
}

/** An attempt at several addresses fails with several codes: one that was given up says most, then one that was refused. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) {
    const codes = error.errors.map((attempt) => codeOf(attempt));
    return ["ETIMEDOUT", "ECONNREFUSED"].find((code) => codes.includes(code)) ?? codes[0] ?? "";
  }
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
