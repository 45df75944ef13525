import type { DeliveryRecord, NewAttempt } from "../../history/history-store.ts";
import type { AgentEvent } from "../agent-event.ts";
import type { DeliveryContext } from "../handle-delivery.ts";

/** What an agent recorded and told. */
export interface MemoryRecords {
  readonly deliveries: DeliveryRecord[];
  readonly attempts: NewAttempt[];
  readonly events: AgentEvent[];
  readonly history: DeliveryContext["history"];
  onEvent(event: AgentEvent): void;
  /** Resolves once `test` holds for the events so far. */
  until(test: (events: readonly AgentEvent[]) => boolean): Promise<void>;
}

export function createMemoryRecords(): MemoryRecords {
  const deliveries: DeliveryRecord[] = [];
  const attempts: NewAttempt[] = [];
  const events: AgentEvent[] = [];
  const watchers = new Set<() => void>();
  return {
    deliveries,
    attempts,
    events,
    history: {
      recordDelivery: (delivery) => {
        deliveries.push(delivery);
      },
      recordAttempt: (attempt) => attempts.push(attempt),
      flush: async () => {},
    },
    onEvent(event) {
      events.push(event);
      for (const check of watchers) {
        check();
      }
    },
    until: (test) =>
      new Promise((resolve) => {
        function check(): void {
          if (test(events)) {
            watchers.delete(check);
            resolve();
          }
        }
        watchers.add(check);
        check();
      }),
  };
}
