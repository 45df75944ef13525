import type { ResetCode } from "@tenfold/protocol";
import { RETRY_AFTER_SECONDS } from "../limits.ts";

/** An answer that the relay gives itself. Status tells the place of failure; the texts name nothing internal. */
export interface PublicError {
  readonly status: number;
  /** What happened. */
  readonly message: string;
  /** What to do next. */
  readonly hint: string;
  /** For `Retry-After`; absent: no such field. */
  readonly retryAfterSeconds?: number;
}

const LOOK_AT_TARGET = "Look at the terminal where the tunnel runs: it shows the cause.";
const SEND_AGAIN = "Send it again: whether the handler has acted on it is not known.";
const VALID_HTTP = "Send one valid HTTP/1.1 request (RFC 9112).";

/** Every answer of the relay's own, by its code, which is a public contract. */
export const PUBLIC_ERRORS = {
  "not-found": {
    status: 404,
    message: "There is nothing at this address.",
    hint: "Tunnels are at /t/<name>/.",
  },
  "no-such-tunnel": {
    status: 404,
    message: "There is no tunnel of that name.",
    hint: "Check the name in the URL, or start the tunnel.",
  },
  "agent-offline": {
    status: 503,
    message: "The tunnel is known, but its agent is not connected.",
    hint: "Start the tunnel again, then send the request again.",
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  },
  "agent-unable": {
    status: 503,
    message: "The agent could not take the request.",
    hint: LOOK_AT_TARGET,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  },
  "agent-failed": { status: 502, message: "The agent gave up on the request.", hint: LOOK_AT_TARGET },
  "target-refused": {
    status: 502,
    message: "The local server did not accept the connection.",
    hint: "Start it, or check its port.",
  },
  "target-reset": {
    status: 502,
    message: "The local server closed the connection before a whole answer.",
    hint: LOOK_AT_TARGET,
  },
  "target-tls": {
    status: 502,
    message: "The local server's TLS certificate was not trusted.",
    hint: LOOK_AT_TARGET,
  },
  "target-bad-answer": {
    status: 502,
    message: "The local server's answer was not valid HTTP.",
    hint: LOOK_AT_TARGET,
  },
  "session-lost": { status: 502, message: "The link to the agent was lost.", hint: SEND_AGAIN },
  "target-timeout": {
    status: 504,
    message: "The local server did not answer in time.",
    hint: LOOK_AT_TARGET,
  },
  "too-large": {
    status: 413,
    message: "The request's body is over the limit.",
    hint: "Send a smaller one, or have the operator raise the limit.",
  },
  "too-many-streams": {
    status: 429,
    message: "Too many requests are open on this tunnel.",
    hint: "Wait for some to end, then send it again.",
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  },
  "head-too-large": {
    status: 431,
    message: "The request's header fields are over the limit.",
    hint: "Send fewer or shorter header fields.",
  },
  "request-timeout": {
    status: 408,
    message: "The request did not arrive in time.",
    hint: "Send it again, all of it.",
  },
  "bad-request": {
    status: 400,
    message: "The request is not valid HTTP, or its framing contradicts itself.",
    hint: VALID_HTTP,
  },
  "bad-host": {
    status: 400,
    message: "The request must have exactly one Host field.",
    hint: VALID_HTTP,
  },
  "bad-target": {
    status: 400,
    message: "The request's target is neither a path nor an http URL.",
    hint: VALID_HTTP,
  },
  "bad-expectation": {
    status: 417,
    message: "Expect: 100-continue is the only expectation that can be met.",
    hint: "Leave the Expect field out.",
  },
  "transfer-encoding-unsupported": {
    status: 501,
    message: "chunked is the only transfer coding that can be read.",
    hint: "Send the body as it is; Content-Encoding is passed on untouched.",
  },
  "connect-unsupported": {
    status: 501,
    message: "CONNECT is not for a relay.",
    hint: "Use another method.",
  },
  "agent-origin": {
    status: 403,
    message: "Agents connect from the command line, not from a web page.",
    hint: "Start a tunnel.",
  },
  "agent-subprotocol": {
    status: 400,
    message: "The agent speaks another protocol than this relay.",
    hint: "Use versions of agent and relay that fit together.",
  },
  "shutting-down": {
    status: 503,
    message: "The relay is shutting down.",
    hint: "Send it again.",
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  },
} as const satisfies Record<string, PublicError>;
export type PublicErrorCode = keyof typeof PUBLIC_ERRORS;

/** What the public caller is told when a stream was reset before the answer's head. */
export function fromResetCode(code: ResetCode): PublicErrorCode {
  // Neither is the agent's to say: the caller is still there, and `internal` is a defect, not a place.
  return code === "caller-gone" || code === "internal" ? "agent-failed" : code;
}

/** A rendered error: the same bytes whether Node's response or a bare socket carries them. */
export interface RenderedError {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

export function renderError(code: PublicErrorCode): RenderedError {
  const error: PublicError = PUBLIC_ERRORS[code];
  const text = JSON.stringify({ error: { code, message: error.message, hint: error.hint } });
  const body = Buffer.from(`${text}\n`, "utf8");
  const headers = ["Content-Type", "application/json", "Content-Length", String(body.length)];
  if (error.retryAfterSeconds !== undefined) {
    headers.push("Retry-After", String(error.retryAfterSeconds));
  }
  return { status: error.status, headers, body };
}
