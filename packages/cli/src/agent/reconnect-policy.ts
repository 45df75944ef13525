/** Shortest wait before a new try, in ms: a relay that restarts is back in about that time. */
const MIN_DELAY_MS = 500;
/** Longest wait in a short outage, in ms: a link that was cut, or a laptop that slept, is to work again in a few seconds. */
const MAX_SHORT_OUTAGE_DELAY_MS = 5_000;
/** An outage that has lasted for less, in ms, is a short one. */
const SHORT_OUTAGE_MS = 60_000;
/** Longest wait after that, in ms: a relay that is gone for long is not to be met by a crowd. */
const MAX_DELAY_MS = 30_000;
/** A session that lived this long, in ms, shows that the relay is well: the next loss starts again with short waits. */
const STABLE_SESSION_MS = 30_000;

/** How long to wait before the next try. Tries go on for ever. Times are ms of one clock. */
export interface ReconnectPolicy {
  /** Wait before the next try, in ms; its bound grows with each call until a stable session was told. */
  nextDelayMs(now: number): number;
  /** A session has ended after `livedMs`. */
  sessionEnded(livedMs: number): void;
}

/**
 * Exponential backoff with full jitter: each wait is drawn evenly between the shortest one and a bound that doubles, so
 * that agents which lost the same relay do not come back all at once. `random` gives 0 ≤ n < 1.
 */
export function createReconnectPolicy(random: () => number): ReconnectPolicy {
  let tries = 0;
  let downSince: number | undefined;
  return {
    nextDelayMs(now) {
      tries += 1;
      downSince ??= now;
      const longest = now - downSince < SHORT_OUTAGE_MS ? MAX_SHORT_OUTAGE_DELAY_MS : MAX_DELAY_MS;
      const bound = Math.min(longest, MIN_DELAY_MS * 2 ** tries);
      return Math.round(MIN_DELAY_MS + random() * (bound - MIN_DELAY_MS));
    },
    sessionEnded(livedMs) {
      downSince = undefined;
      if (livedMs >= STABLE_SESSION_MS) {
        tries = 0;
      }
    },
  };
}
