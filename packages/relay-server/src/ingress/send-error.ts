import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { LINGER_MS } from "../limits.ts";
import { renderError, type PublicErrorCode } from "./public-errors.ts";
import type { RequestBody } from "./request-body.ts";
import { renderHead } from "./render-head.ts";

/**
 * Gives the relay's own answer. What is left of the request is read up to a bound before the connection closes: closing on
 * unread bytes would reset it, and the sender would see that instead of the answer.
 */
export async function sendError(
  res: ServerResponse,
  body: RequestBody,
  code: PublicErrorCode,
): Promise<void> {
  const error = renderError(code);
  if (!body.isWhole) {
    res.shouldKeepAlive = false;
  }
  body.stop();
  res.writeHead(error.status, [...error.headers]);
  res.write(error.body);
  await body.settle();
  res.end();
}

/** As `sendError`, for a connection that Node's HTTP server has given up or handed over. The connection ends. */
export function sendErrorToSocket(socket: Duplex, code: PublicErrorCode): void {
  const error = renderError(code);
  socket.on("error", ignoreError);
  socket.end(
    Buffer.concat([
      renderHead(error.status, undefined, [...error.headers, "Connection", "close"]),
      error.body,
    ]),
  );
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}

/** The caller of a refused connection may break it in any way; there is nobody left to tell. */
function ignoreError(): void {
  // Without a listener the error would end the process.
}
