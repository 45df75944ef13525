import type { HeaderList } from "@tenfold/protocol";
import { getHeader, setHeader } from "@tenfold/providers";
import { plainHost } from "../tunnels/tunnel-host.ts";
import { filterFields, removeHopByHop, removeHopByHopButUpgrade } from "./hop-by-hop.ts";

/** What the relay knows of a request beside its own fields. */
export interface RequestOrigin {
  /** Address of the connection's other end, as the socket tells it. */
  readonly peerAddress: string;
  readonly proto: "http" | "https";
  /** What routing removed from the target; undefined: nothing. */
  readonly prefix: string | undefined;
  /** The request asks for another protocol and gets it passed on. */
  readonly upgrade: boolean;
}

/**
 * The fields that go to the agent. Hop-by-hop ones and `Expect` are removed (the relay itself sends the interim 100), the
 * forwarding ones are set: in place where the sender had them, else at the end. Nothing else is touched.
 */
export function toForwardedHeaders(received: HeaderList, origin: RequestOrigin): HeaderList {
  const endToEnd = origin.upgrade ? removeHopByHopButUpgrade(received) : removeHopByHop(received);
  const host = getHeader(received, "host");
  let headers = filterFields(endToEnd, (name) => name !== "expect");
  headers = appendForwardedFor(headers, withoutMappedPrefix(origin.peerAddress));
  headers = setHeader(headers, "X-Forwarded-Proto", origin.proto);
  headers = host === undefined ? headers : setHeader(headers, "X-Forwarded-Host", host);
  return origin.prefix === undefined ? headers : setHeader(headers, "X-Forwarded-Prefix", origin.prefix);
}

/**
 * The target in origin form (RFC 9112 §3.2): absolute form is reduced to what follows its authority, and its host is
 * trusted for nothing. Undefined when it is none of origin, absolute and asterisk form.
 */
export function toOriginForm(requestTarget: string): string | undefined {
  if (requestTarget.startsWith("/") || requestTarget === "*") {
    return requestTarget;
  }
  const authority = /^https?:\/\/[^/?#]+/i.exec(requestTarget)?.[0];
  if (authority === undefined) {
    return undefined;
  }
  const rest = requestTarget.slice(authority.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/**
 * Whether a target in absolute form names another host than the `Host` field does. A proxy in front may have let the request
 * pass for the one, and the tunnel would be that of the other.
 */
export function namesAnotherHost(requestTarget: string, host: string): boolean {
  const authority = /^https?:\/\/([^/?#]+)/i.exec(requestTarget)?.[1];
  return authority !== undefined && plainHost(authority) !== plainHost(host);
}

/** Joins the peer to the last field of that name: the one that the nearest proxy wrote. */
function appendForwardedFor(headers: HeaderList, peer: string): HeaderList {
  const last = headers.findLastIndex((text, at) => at % 2 === 0 && text.toLowerCase() === "x-forwarded-for");
  if (last === -1) {
    return [...headers, "X-Forwarded-For", peer];
  }
  const old = headers[last + 1] ?? "";
  return headers.with(last + 1, old === "" ? peer : `${old}, ${peer}`);
}

/** A dual-stack socket shows IPv4 peers as `::ffff:192.0.2.1`, which few readers of the header know. */
function withoutMappedPrefix(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
