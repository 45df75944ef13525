import type { HeaderList } from "@tenfold/protocol";
import { getHeader, getHeaders, setHeader } from "@tenfold/providers";

/**
 * Fields of one connection only (RFC 9110 §7.6.1). `Trailer` is not one of them: trailers are passed on. Neither are the
 * `Proxy-` authentication fields: to its senders a gateway is the origin server (§3.7), so they are meant for the target.
 */
const HOP_BY_HOP: readonly string[] = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
];

/** A sender can't have these removed by naming them in `Connection`: the target would see another request than the relay. */
const NEVER_NAMED: ReadonlySet<string> = new Set(["host", "content-length"]);

/** The list without the fields of one connection and those that `Connection` names; all others as they stand. */
export function removeHopByHop(headers: HeaderList): HeaderList {
  const removed = removedNames(headers);
  return filterFields(headers, (name) => !removed.has(name));
}

/**
 * As `removeHopByHop`, but a protocol upgrade is still asked for or confirmed (RFC 9110 §7.8): `Upgrade` stays, and the
 * first `Connection` stays with `Upgrade` as its only option.
 */
export function removeHopByHopButUpgrade(headers: HeaderList): HeaderList {
  const removed = removedNames(headers);
  removed.delete("connection");
  removed.delete("upgrade");
  const kept = filterFields(headers, (name) => !removed.has(name));
  return getHeader(kept, "connection") === undefined ? kept : setHeader(kept, "Connection", "Upgrade");
}

/** The options of all `Connection` fields, in lower case. */
export function connectionOptions(headers: HeaderList): string[] {
  return getHeaders(headers, "connection")
    .flatMap((value) => value.split(","))
    .map((option) => option.trim().toLowerCase())
    .filter((option) => option !== "");
}

/** Keeps the fields whose lower-case name is accepted, in order. */
export function filterFields(headers: HeaderList, accept: (name: string) => boolean): HeaderList {
  const kept: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? "";
    if (accept(name.toLowerCase())) {
      kept.push(name, headers[at + 1] ?? "");
    }
  }
  return kept;
}

function removedNames(headers: HeaderList): Set<string> {
  const named = connectionOptions(headers).filter((name) => !NEVER_NAMED.has(name));
  return new Set([...HOP_BY_HOP, ...named]);
}
