/** The time that a target still has for its answer head. */
export interface HeadDeadline {
  /** Gives the target the full time from now on. */
  restart(): void;
  /** Stops the clock while somebody else is waited for. */
  pause(): void;
  /** Stops the clock for good; `restart` is then a no-op. */
  clear(): void;
}

/** Calls `onExpired` once the clock has run for `timeoutMs` without a restart or a pause. Starts paused. */
export function createHeadDeadline(timeoutMs: number, onExpired: () => void): HeadDeadline {
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  function pause(): void {
    clearTimeout(timer);
    timer = undefined;
  }
  return {
    restart() {
      pause();
      if (!over) {
        timer = setTimeout(onExpired, timeoutMs);
      }
    },
    pause,
    clear() {
      over = true;
      pause();
    },
  };
}
