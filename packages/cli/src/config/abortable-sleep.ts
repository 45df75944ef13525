/** Waits `ms`, or until `signal` is aborted, whichever is first. Never rejects; leaves no timer and no listener behind. */
export function abortableSleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(settle, ms);
    signal.addEventListener("abort", settle, { once: true });
    function settle(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", settle);
      resolve();
    }
    if (signal.aborted) {
      settle();
    }
  });
}
