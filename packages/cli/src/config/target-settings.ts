import { CliError } from "../errors.ts";
import type { Target } from "../forward/target.ts";

/** Header that carries the key where `--idempotency-header` names none. */
const DEFAULT_IDEMPOTENCY_HEADER = "X-Idempotency-Key";
/** Time for a target's answer head in ms, unless `--timeout` sets another. */
export const DEFAULT_TIMEOUT_MS = 30_000;

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Host and optional port as RFC 9110 §7.2 has them, loosely: what a header line can carry without breaking it. */
const HOST_VALUE = /^[\x21-\x7e]+$/;
/** Headers that frame or route a request; a key in one of them would break it. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "expect",
]);

/**
 * Reads the value of `--idempotency-header [NAME]`: true stands for the flag without a name, undefined for no flag.
 *
 * @throws CliError `usage`
 */
export function parseIdempotencyHeader(value: unknown): Target["idempotencyHeader"] {
  if (value === undefined || value === false) {
    return null;
  }
  const name = typeof value === "string" ? value : DEFAULT_IDEMPOTENCY_HEADER;
  if (!TOKEN.test(name) || RESERVED_NAMES.has(name.toLowerCase())) {
    throw new CliError("usage", `"${name}" can't be the header for the key.`, {
      hint: `Use a plain header name such as ${DEFAULT_IDEMPOTENCY_HEADER}.`,
    });
  }
  return name;
}

/**
 * Reads the value of `--host-header preserve|rewrite|VALUE`.
 *
 * @throws CliError `usage`
 */
export function parseHostHeader(text: string): Target["hostHeader"] {
  if (text === "preserve" || text === "rewrite") {
    return text;
  }
  if (!HOST_VALUE.test(text)) {
    throw new CliError("usage", `"${text}" can't be a Host header.`, {
      hint: "Use preserve (the public host), rewrite (the target's own) or a value such as app.test:3000.",
    });
  }
  return { value: text };
}
