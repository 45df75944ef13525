/** A token that may open tunnels. The relay keeps only its SHA-256. */
export interface TokenGrant {
  /** For logs and metrics; never the token itself. */
  readonly id: string;
  /** Lower-case hex SHA-256 of the token. */
  readonly sha256: string;
  /** Tunnel names that this token owns; `"*"`: any name that no other token owns or serves. */
  readonly names: readonly string[] | "*";
}

export interface RelayConfig {
  /** Address to listen on. A relay without tokens refuses anything but loopback. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /**
   * `path`: tunnels at `/t/<name>/…`, prefix removed, `X-Forwarded-Prefix` set · `embedded`: the one tunnel at `/`, loopback
   * only, no `/healthz`, no forwarding prefix.
   */
  readonly routing: "path" | "embedded";
  /**
   * With `path`: tunnels are hosts below this domain as well, `<name>.<domain>`, and get every path of their host. Those are their
   * public URLs then, with scheme and port of `publicUrl`.
   */
  readonly domain?: string;
  /**
   * Base of the public URLs, e.g. `https://hooks.example.com`; default: the address that it listens on. With a `domain` it has no
   * path, and `http://<domain>:<port>` is the default.
   */
  readonly publicUrl?: string;
  /** Empty: no token is asked for, loopback only. */
  readonly tokens: readonly TokenGrant[];
  /** Largest request body in bytes; 0: no limit. Default 0. */
  readonly maxBodyBytes?: number;
  /** Streams open at once in one session. Default 1024. */
  readonly maxStreams?: number;
  /** How long the relay waits for a target's response head, in ms; the agent's own time-out is usually shorter. Default 120 s. */
  readonly responseTimeoutMs?: number;
}

/** Everything that the relay takes from outside. */
export interface RelayDeps {
  /** ms since the epoch. */
  readonly now: () => number;
  readonly log: RelayLog;
}

/** One structured line an event; `fields` never hold tokens, bodies or header values. */
export type RelayLog = (
  level: "info" | "warn" | "error",
  event: string,
  fields: Record<string, string | number | boolean>,
) => void;

export interface Relay {
  /** `http://127.0.0.1:43123`, no trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting, tells the agents, lets open deliveries finish for at most `graceMs` (default 5 s), frees the port. Idempotent. */
  close(graceMs?: number): Promise<void>;
}
