import type { RelayConfig } from "../config.ts";
import { isTunnelName } from "./name.ts";
import { labelBelow } from "./tunnel-host.ts";

/** Where a request goes. */
export type Route =
  | {
      readonly kind: "tunnel";
      readonly name: string;
      /** Request-target for the agent: the prefix is removed, all else is byte for byte as received. */
      readonly target: string;
      /** What was removed, for `X-Forwarded-Prefix`; undefined: nothing was. */
      readonly prefix: string | undefined;
    }
  | { readonly kind: "health" }
  | { readonly kind: "no-such-tunnel" }
  | { readonly kind: "not-found" };

/** The one tunnel of an embedded relay; not seen outside. */
export const EMBEDDED_NAME = "local";

/** What a route is found by. */
export interface Addressed {
  /** In origin form. */
  readonly target: string;
  /** As the request names it; empty: not at all (HTTP/1.0). */
  readonly host: string;
}

/**
 * Finds the tunnel of a request: by its host where that is below the domain, whatever the path, else by its path. Nothing of
 * the target is decoded or normalised: `//x` and `/a/../b` stay so.
 */
export function resolveRoute(
  { target, host }: Addressed,
  { routing, domain }: Pick<RelayConfig, "routing" | "domain">,
): Route {
  if (routing === "embedded") {
    return { kind: "tunnel", name: EMBEDDED_NAME, target, prefix: undefined };
  }
  const label = domain === undefined ? undefined : labelBelow(host, domain);
  return label === undefined ? resolvePath(target) : resolveLabel(label, target);
}

function resolveLabel(name: string, target: string): Route {
  return isTunnelName(name)
    ? { kind: "tunnel", name, target, prefix: undefined }
    : { kind: "no-such-tunnel" };
}

const TUNNEL_PREFIX = "/t/";

function resolvePath(target: string): Route {
  if (!target.startsWith(TUNNEL_PREFIX)) {
    return target === "/healthz" || target.startsWith("/healthz?")
      ? { kind: "health" }
      : { kind: "not-found" };
  }
  const end = endOfSegment(target, TUNNEL_PREFIX.length);
  const name = target.slice(TUNNEL_PREFIX.length, end);
  if (!isTunnelName(name)) {
    return { kind: "no-such-tunnel" };
  }
  const rest = target.slice(end);
  return {
    kind: "tunnel",
    name,
    target: rest.startsWith("/") ? rest : `/${rest}`,
    prefix: TUNNEL_PREFIX + name,
  };
}

function endOfSegment(target: string, from: number): number {
  const length = target.slice(from).search(/[/?]/);
  return length === -1 ? target.length : from + length;
}
