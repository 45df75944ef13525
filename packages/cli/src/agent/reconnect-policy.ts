/** Shortest wait before a new try, in ms: a relay that restarts is back in about that time. */
const MIN_RECONNECT_DELAY_MS = 500;
/** Longest wait before a new try, in ms. */
const MAX_RECONNECT_DELAY_MS = 30_000;
/** A session that lived this long, in ms, shows that the relay is well: the next loss starts again with short waits. */
const STABLE_SESSION_MS = 30_000;

/** How long to wait before the next try. Tries go on for ever. */
export interface ReconnectPolicy {
  /** Wait before the next try, in ms; grows with each call until a stable session was told. */
  nextDelayMs(): number;
  /** A session has ended after `livedMs`. */
  sessionEnded(livedMs: number): void;
}

/**
 * Exponential backoff with full jitter: each wait is drawn evenly between the shortest one and a bound that doubles, so
 * that agents which lost the same relay do not come back all at once. `random` gives 0 ≤ n < 1.
 */
export function createReconnectPolicy(random: () => number): ReconnectPolicy {
  let tries = 0;
  return {
    nextDelayMs() {
      tries += 1;
      const bound = Math.min(MAX_RECONNECT_DELAY_MS, MIN_RECONNECT_DELAY_MS * 2 ** tries);
      return Math.round(MIN_RECONNECT_DELAY_MS + random() * (bound - MIN_RECONNECT_DELAY_MS));
    },
    sessionEnded(livedMs) {
      if (livedMs >= STABLE_SESSION_MS) {
        tries = 0;
      }
    },
  };
}
