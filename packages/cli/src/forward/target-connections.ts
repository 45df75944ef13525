import * as http from "node:http";
import * as https from "node:https";
import { isIP } from "node:net";
import type { LookupFunction } from "node:net";
import type { ForwardRequest } from "./forwarder.ts";
import { toNodeFields } from "@tenfold/protocol";
import { targetAuthority, targetHeaders, targetPath } from "./target-headers.ts";
import type { Target } from "./target.ts";

/** An idle connection is kept for 1 s: long enough for a burst of deliveries, too short for most restarts of a dev server. */
const IDLE_CONNECTION_MS = 1_000;
/** Idle connections kept for each target. */
const MAX_IDLE_CONNECTIONS = 16;
/** Answer heads up to 128 KiB; common servers send far less, and the wire protocol carries twice as much. */
const MAX_ANSWER_HEAD_BYTES = 128 * 1024;
/**
 * Time for one of the two addresses of `localhost`, in ms, before the other is tried. Node's own quarter of a second goes by on a
 * busy machine while the app is there, and the other address then refuses. One that nobody listens on refuses at once.
 */
const LOCALHOST_ATTEMPT_MS = 10_000;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };

/** Kept-alive connections to targets. */
export interface TargetConnections {
  /**
   * Lets the news of closed idle connections come in. A server that restarted has closed its side, but that is seen only
   * when the event loop polls; a delivery written before would be lost on a dead connection.
   */
  settle(): Promise<void>;
  /**
   * Starts a request with its head; the body is the caller's to write. Headers go out with the order, case and repeats
   * given. @throws a system error with one of Node's `ERR_` codes when they can't be written as HTTP.
   */
  open(target: Target, request: ForwardRequest): http.ClientRequest;
  /** Drops all connections. */
  close(): void;
}

/**
 * Built on node:http, since it alone takes a flat header list as it is: undici moves Host and Content-Length, spells them
 * in lower case and refuses what it sets itself.
 */
export function createTargetConnections(lookup: LookupFunction): TargetConnections {
  const settings = { keepAlive: true, timeout: IDLE_CONNECTION_MS, maxFreeSockets: MAX_IDLE_CONNECTIONS };
  const plain = new http.Agent(settings);
  const secure = new https.Agent(settings);
  return {
    async settle() {
      if (Object.keys(plain.freeSockets).length + Object.keys(secure.freeSockets).length > 0) {
        // The first turn may end before the loop polls again, the second can't.
        await nextTurn();
        await nextTurn();
      }
    },
    open(target, request) {
      const options = { ...requestOptions(target, request), lookup };
      return target.url.startsWith("https:")
        ? https.request({ ...options, agent: secure, servername: serverNameOf(options.hostname) })
        : http.request({ ...options, agent: plain });
    },
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

function requestOptions(target: Target, request: ForwardRequest): http.RequestOptions & { hostname: string } {
  const scheme = target.url.slice(0, target.url.indexOf(":"));
  const [, address, name, port] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::([0-9]+))?$/.exec(targetAuthority(target)) ?? [];
  const hostname = address ?? name ?? "";
  return {
    ...(hostname.toLowerCase() === "localhost"
      ? { autoSelectFamilyAttemptTimeout: LOCALHOST_ATTEMPT_MS }
      : {}),
    hostname,
    port: port === undefined ? DEFAULT_PORTS[scheme] : Number(port),
    method: request.method,
    path: targetPath(target, request.path),
    headers: toNodeFields(targetHeaders(target, request)),
    maxHeaderSize: MAX_ANSWER_HEAD_BYTES,
  };
}

/** TLS names the target's own host, whatever the Host header says; an IP address is no server name (RFC 6066 §3). */
function serverNameOf(hostname: string): string {
  return isIP(hostname) === 0 ? hostname : "";
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
