interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

/** A clock that a test moves by hand: its functions fit `MuxDeps`. */
export class FakeClock {
  #nowMs = 0;
  readonly #timers = new Set<Timer>();

  /** Timers that have neither run nor been cancelled. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  readonly now = (): number => this.#nowMs;

  /** Runs `run` once, when `afterMs` have passed; returns what cancels it. */
  readonly schedule = (run: () => void, afterMs: number): (() => void) => {
    const timer = { dueMs: this.#nowMs + afterMs, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** Lets `ms` pass: runs all timers that fall due, in order, also those that they set. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (let next = this.#nextBy(endMs); next !== undefined; next = this.#nextBy(endMs)) {
      this.#timers.delete(next);
      this.#nowMs = next.dueMs;
      next.run();
    }
    this.#nowMs = endMs;
  }

  #nextBy(endMs: number): Timer | undefined {
    return [...this.#timers]
      .filter((timer) => timer.dueMs <= endMs)
      .sort((a, b) => a.dueMs - b.dueMs)
      .at(0);
  }
}
