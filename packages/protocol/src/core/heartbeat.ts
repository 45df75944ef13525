import { PING_DEADLINE_MS, PING_INTERVAL_MS } from "./limits.ts";

/** What the link needs now, and when to ask again (ms from now). */
export type HeartbeatAction = { readonly do: "wait" | "ping" | "give-up"; readonly nextMs: number };

/** Liveness of a link as arithmetic: any sign of life counts; silence is pinged; a ping without answer is death. */
export class Heartbeat {
  #lastSign: number;
  #pingedAt: number | undefined;

  constructor(now: number) {
    this.#lastSign = now;
  }

  /** Something came in. */
  seen(now: number): void {
    this.#lastSign = now;
    this.#pingedAt = undefined;
  }

  check(now: number): HeartbeatAction {
    if (this.#pingedAt !== undefined) {
      const left = this.#pingedAt + PING_DEADLINE_MS - now;
      return left <= 0 ? { do: "give-up", nextMs: 0 } : { do: "wait", nextMs: left };
    }
    const left = this.#lastSign + PING_INTERVAL_MS - now;
    if (left > 0) return { do: "wait", nextMs: left };
    this.#pingedAt = now;
    return { do: "ping", nextMs: PING_DEADLINE_MS };
  }
}
