/** First message of the agent. */
export interface Hello {
  /** Always `PROTOCOL_VERSION` of the sender. */
  readonly version: string;
  readonly token: string;
  /** Wanted tunnel name; absent: the relay chooses. */
  readonly name?: string;
  /** Random per agent process; the same over its reconnects, so that the relay can tell a reconnect from a second laptop. */
  readonly resumeSecret: string;
  /** For the relay's log, e.g. `tenfold/0.1.0`. */
  readonly agent: string;
}

/** The relay's consent: the tunnel is live from here on. */
export interface Welcome {
  readonly sessionId: string;
  readonly name: string;
  /** Public URL of the tunnel without a trailing slash, unless its path is `/`. */
  readonly url: string;
  /** How long the name stays this token's after the session is lost, in ms. */
  readonly leaseMs: number;
  readonly limits: {
    /** Streams open at once, 1 or more. */
    readonly maxStreams: number;
    /** Largest request body in bytes; 0: no limit. */
    readonly maxBodyBytes: number;
  };
}

/** Codes of a refusal. All are final: the agent does not try again. */
export const REFUSAL_CODES = [
  "bad-token",
  "name-taken",
  "bad-name",
  "name-not-allowed",
  "version",
  "too-many-tunnels",
  "bad-hello",
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

export interface Refusal {
  readonly code: RefusalCode;
  /** What happened and why, for a person. */
  readonly reason: string;
  /** What to do next. */
  readonly hint: string;
}
