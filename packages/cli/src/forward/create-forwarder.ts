import { setMaxListeners } from "node:events";
import type { LookupFunction } from "node:net";
import type { Forwarder } from "./forwarder.ts";
import { lookupLocalhostFirst } from "./localhost-lookup.ts";
import { createTargetConnections } from "./target-connections.ts";
import { exchangeWithTarget } from "./target-exchange.ts";

export interface ForwarderDeps {
  /** Monotonic ms. Default `performance.now`. */
  readonly monotonicNow?: () => number;
  /** Default: `localhost` without a resolver, all else by the operating system. */
  readonly lookup?: LookupFunction;
}

/**
 * A forwarder with its own connections. Nothing is ever sent twice: a delivery that met a connection which the target was
 * just closing ends as `reset`, since nobody can tell whether the target had begun to act on it.
 */
export function createForwarder(deps: ForwarderDeps = {}): Forwarder {
  const monotonicNow = deps.monotonicNow ?? (() => performance.now());
  const connections = createTargetConnections(deps.lookup ?? lookupLocalhostFirst);
  const closing = new AbortController();
  // Every open exchange listens; Node takes more than ten for a leak.
  setMaxListeners(0, closing.signal);
  const open = new Set<Promise<unknown>>();
  return {
    async forward(target, request, sink) {
      const startedAt = monotonicNow();
      const exchange = exchangeWithTarget({ target, request, sink, connections, closing: closing.signal });
      open.add(exchange);
      const result = await exchange;
      open.delete(exchange);
      return { ...result, durationMs: monotonicNow() - startedAt };
    },
    async close() {
      closing.abort();
      await Promise.all(open);
      connections.close();
    },
  };
}
