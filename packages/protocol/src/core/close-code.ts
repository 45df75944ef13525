/** Why a reader wants no more of the peer's half. */
export const STOP_CODES = ["not-needed", "response-complete", "too-large"] as const;
export type StopCode = (typeof STOP_CODES)[number];

/** Why both halves of a stream ended at once. The relay maps these to public answers by place of failure. */
export const RESET_CODES = [
  /** The public caller went away. */
  "caller-gone",
  /** The target did not accept the connection. Before a response head: 502. */
  "target-refused",
  /** The target closed or broke the connection before a whole answer. */
  "target-reset",
  /** The target did not answer in time. Before a response head: 504. */
  "target-timeout",
  /** The target's TLS certificate was not trusted. */
  "target-tls",
  /** The target's answer was not valid HTTP, or its head was too large. */
  "target-bad-answer",
  /** The request is over a limit. Before a response head: 413. */
  "too-large",
  /** The agent is not able to take the delivery (its disk, say). Before a response head: 503. */
  "agent-unable",
  /** The link between relay and agent went away. Never sent; told to local owners. */
  "session-lost",
  /** A defect on the sender's side. */
  "internal",
] as const;
export type ResetCode = (typeof RESET_CODES)[number];
