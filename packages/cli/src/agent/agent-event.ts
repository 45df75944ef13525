import type { AttemptRecord, DeliveryRecord } from "../history/history-store.ts";

/** What an agent tells those who show things. Told after the fact: nothing in here can delay a delivery. */
export type AgentEvent =
  /** A request through the public URL reaches this agent from now on. */
  | { readonly type: "ready"; readonly url: string; readonly name: string }
  /** The link is gone; a new try follows after `retryInMs`. */
  | { readonly type: "down"; readonly reason: string; readonly retryInMs: number }
  /** The relay had to drop stored deliveries; `from` and `to` in ms since the epoch. */
  | { readonly type: "gap"; readonly count: number; readonly from: number; readonly to: number }
  | { readonly type: "delivery"; readonly delivery: DeliveryRecord }
  | { readonly type: "attempt"; readonly attempt: AttemptRecord }
  /** The history did not take a record; deliveries go on. */
  | { readonly type: "history-failed"; readonly error: Error };
