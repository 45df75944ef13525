import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { HeaderList } from "@tenfold/protocol";
import { getHeader } from "@tenfold/providers";
import { connectionOptions, filterFields } from "./hop-by-hop.ts";

/**
 * Whether a request only offers HTTP/2 in clear text, as Java's HTTP client and `curl --http2` do with every request. The
 * offer may be ignored (RFC 9110 §7.8), and it is: a relay is not able to speak h2c for its targets.
 */
export function offersHttp2(headers: HeaderList): boolean {
  return (getHeader(headers, "upgrade") ?? "").trim().toLowerCase() === "h2c";
}

/**
 * Whether a body comes before the other protocol would begin. The offer is ignored then: Node hands such a request over with
 * its body unread, and what is passed on untouched after that would be its framing, not its bytes.
 */
export function hasBody(headers: HeaderList): boolean {
  return (
    getHeader(headers, "transfer-encoding") !== undefined ||
    Number(getHeader(headers, "content-length") ?? 0) > 0
  );
}

/**
 * Gives a request back to the server as if its upgrade had not been offered. Node hands every request with an `Upgrade` over
 * with its body unread, so the same head without the offer goes in front of that body once more.
 */
export function ignoreUpgrade(
  server: Server,
  req: IncomingMessage,
  socket: Duplex,
  firstBytes: Buffer,
): void {
  const offer = new Set(["upgrade", "http2-settings", "connection"]);
  const headers = [...filterFields(req.rawHeaders, (name) => !offer.has(name))];
  const options = connectionOptions(req.rawHeaders).filter((option) => !offer.has(option));
  if (options.length > 0) {
    headers.push("Connection", options.join(", "));
  }
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`];
  for (let at = 0; at < headers.length; at += 2) {
    lines.push(`${headers[at]}: ${headers[at + 1]}`);
  }
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  socket.unshift(Buffer.concat([head, firstBytes]));
  server.emit("connection", socket);
}
