import { lookup as lookupByResolver } from "node:dns";
import type { LookupFunction } from "node:net";

/** Both loopback addresses, in the order in which they are tried. */
const LOOPBACK = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
] as const;

/**
 * A `lookup` for `net.connect` that knows `localhost` (RFC 6761 §6.3) without asking a resolver: dev servers listen on one
 * of the two addresses only, and a broken resolver must not break a local connection. All other names are looked up.
 */
export const lookupLocalhostFirst: LookupFunction = (hostname, options, callback) => {
  if (hostname.toLowerCase() !== "localhost") {
    lookupByResolver(hostname, options, callback);
    return;
  }
  if (options.all === true) {
    callback(null, [...LOOPBACK]);
    return;
  }
  const wanted = LOOPBACK.find(({ family }) => family === options.family) ?? LOOPBACK[0];
  callback(null, wanted.address, wanted.family);
};
