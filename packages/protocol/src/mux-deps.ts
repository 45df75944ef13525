/** What a session takes from outside beside its transport. */
export interface MuxDeps {
  /** Monotonic ms. Default `performance.now`. */
  readonly now?: () => number;
  /** Runs `run` once after `afterMs`; returns what cancels it. Default `setTimeout`. */
  readonly schedule?: (run: () => void, afterMs: number) => () => void;
}
