import type { RelayConfig } from "../config.ts";
import { isTunnelName } from "./name.ts";

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

/** Finds the tunnel of an origin-form request-target. Nothing is decoded or normalised: `//x` and `/a/../b` stay so. */
export function resolveRoute(target: string, routing: RelayConfig["routing"]): Route {
  return routing === "embedded"
    ? { kind: "tunnel", name: EMBEDDED_NAME, target, prefix: undefined }
    : resolvePath(target);
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
