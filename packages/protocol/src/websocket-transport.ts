import type { Socket } from "node:net";
import type { RawData, WebSocket } from "ws";
import { SEND_HIGH_WATER_BYTES, SEND_LOW_WATER_BYTES } from "./core/limits.ts";
import type { Transport, TransportHandler } from "./transport.ts";

const CLOSE_UNSUPPORTED_DATA = 1003;
/** A close reason is at most 123 bytes (RFC 6455 §5.5); UTF-8 takes up to three for a UTF-16 unit. */
const MAX_CLOSE_REASON_CHARS = 41;

/** Carries messages over a `ws` WebSocket of either side, which must be open and without compression. */
export function createWebSocketTransport(socket: WebSocket): Transport {
  const tcp = (socket as unknown as { readonly _socket?: Socket })._socket;
  let handler: TransportHandler | undefined;
  let isCorked = false;
  let wasFull = false;

  // All messages of one loop turn go out in one write.
  const cork = () => {
    if (isCorked || tcp === undefined) return;
    isCorked = true;
    tcp.cork();
    setImmediate(() => {
      isCorked = false;
      tcp.uncork();
    });
  };
  const afterWrite = () => {
    if (!wasFull || socket.bufferedAmount > SEND_LOW_WATER_BYTES) return;
    wasFull = false;
    handler?.onDrain();
  };

  socket.on("message", (data: RawData, isBinary: boolean) => {
    if (isBinary) handler?.onMessage(toBytes(data));
    else socket.close(CLOSE_UNSUPPORTED_DATA, "binary messages only");
  });
  socket.on("pong", () => handler?.onPong());
  // `close` follows every error and tells the owner; without a listener the error would end the process.
  let lastError: string | undefined;
  socket.on("error", (error) => {
    lastError = error.message;
  });
  socket.on("close", (code, reason) =>
    handler?.onClose(code !== 1006, lastError ?? (reason.toString() || `closed with ${code}`)),
  );

  return {
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    send(message) {
      if (socket.readyState !== socket.OPEN) return;
      cork();
      socket.send(message, { binary: true, compress: false }, afterWrite);
      if (socket.bufferedAmount >= SEND_HIGH_WATER_BYTES) wasFull = true;
    },
    ping() {
      if (socket.readyState === socket.OPEN) socket.ping();
    },
    close: (code, reason) => socket.close(code, reason.slice(0, MAX_CLOSE_REASON_CHARS)),
    terminate: () => socket.terminate(),
    setHandler(newHandler) {
      handler = newHandler;
    },
  };
}

function toBytes(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
