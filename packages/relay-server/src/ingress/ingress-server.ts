import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import {
  CONNECTIONS_CHECK_MS,
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_TIMEOUT_MS,
  MAX_HEAD_BYTES,
} from "../limits.ts";
import { hasBody, ignoreUpgrade, offersHttp2 } from "./ignore-upgrade.ts";
import type { IngressHandler } from "./ingress-handler.ts";
import type { PublicErrorCode } from "./public-errors.ts";
import { sendErrorToSocket } from "./send-error.ts";

export interface IngressServer {
  /** @throws the system's error, with its code, when the address can't be had. Resolves with the port. */
  listen(port: number, host: string): Promise<number>;
  /** No new connections; open exchanges go on and end their connections. */
  stopAccepting(): void;
  /** Resolves when no exchange is open. */
  whenIdle(): Promise<void>;
  /** Breaks what is open and resolves when every connection is gone. */
  destroy(): Promise<void>;
}

/** Takes the upgrade of an agent; false: it is a public caller's. */
export type TakeAgent = (req: IncomingMessage, socket: Duplex, firstBytes: Buffer) => boolean;

/** The public side: strict HTTP/1.1 on Node's own server, each socket and exchange accounted for. */
export function createIngressServer(handler: IngressHandler, takeAgent: TakeAgent): IngressServer {
  const server = createStrictServer();
  const sockets = trackSockets(server);
  const exchanges = new Set<Promise<void>>();
  const responses = new Set<ServerResponse>();
  let isClosing = false;
  let closed: Promise<void> | undefined;

  const track = (exchange: Promise<void>): void => {
    exchanges.add(exchange);
    void exchange.finally(() => exchanges.delete(exchange));
  };
  const onRequest = (res: ServerResponse, exchange: () => Promise<void>): void => {
    res.shouldKeepAlive &&= !isClosing;
    responses.add(res);
    track(exchange().finally(() => responses.delete(res)));
  };

  server.on("request", (req, res) => onRequest(res, async () => handler.onRequest(req, res, false)));
  server.on("checkContinue", (req, res) => onRequest(res, async () => handler.onRequest(req, res, true)));
  server.on("checkExpectation", (req, res) => onRequest(res, async () => handler.onBadExpectation(req, res)));
  server.on("clientError", (error, socket) => refuseBadMessage(error, socket, responses));
  server.on("connect", (_req, socket) => sendErrorToSocket(socket, "connect-unsupported"));
  server.on("upgrade", (req, socket, firstBytes) => {
    if (takeAgent(req, socket, firstBytes)) {
      return;
    }
    if (offersHttp2(req.rawHeaders) || hasBody(req.rawHeaders)) {
      ignoreUpgrade(server, req, socket, firstBytes);
    } else {
      track(handler.onUpgrade(req, socket, firstBytes));
    }
  });

  const stopAccepting = (): void => {
    isClosing = true;
    for (const res of responses) {
      res.shouldKeepAlive &&= res.headersSent;
    }
    closed ??= new Promise((resolve) => server.close(() => resolve()));
  };
  const whenIdle = async (): Promise<void> => {
    while (exchanges.size > 0) {
      await Promise.all(exchanges);
    }
  };
  return {
    listen: async (port, host) => listenOn(server, port, host),
    stopAccepting,
    whenIdle,
    async destroy() {
      stopAccepting();
      for (const socket of sockets) {
        socket.destroy();
      }
      await closed;
      await whenIdle();
    },
  };
}

function createStrictServer(): Server {
  const server = createServer({
    insecureHTTPParser: false,
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // A slow upload is legal; the exchange bounds the wait for progress.
    requestTimeout: 0,
    // Checked by the handler, which answers in the relay's own form.
    requireHostHeader: false,
  });
  // Counted in bytes already; Node would silently drop the fields over the count.
  server.maxHeadersCount = 0;
  return server;
}

function trackSockets(server: Server): Set<Duplex> {
  const sockets = new Set<Duplex>();
  server.on("connection", (socket) => {
    // Each pipelined exchange listens for the end of its connection.
    socket.setMaxListeners(0);
    if (!sockets.has(socket)) {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    }
  });
  return sockets;
}

async function listenOn(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** An error answer must not land in the middle of another answer, nor before one that is due first. */
function refuseBadMessage(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  responses: ReadonlySet<ServerResponse>,
): void {
  if (socket.writableEnded) {
    return;
  }
  const open = [...responses].filter((res) => res.req.socket === socket);
  const isFree = open.every((res) => !res.headersSent && !res.req.complete);
  if (error.code === "ECONNRESET" || !socket.writable || !isFree) {
    socket.destroy();
    return;
  }
  sendErrorToSocket(socket, toErrorCode(error.code));
}

function toErrorCode(code: string | undefined): PublicErrorCode {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return "head-too-large";
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return "request-timeout";
    default:
      return "bad-request";
  }
}
