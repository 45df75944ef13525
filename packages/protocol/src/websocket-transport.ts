import type { Socket } from "node:net";
import type { RawData, WebSocket } from "ws";
import { SEND_HIGH_WATER_BYTES, SEND_LIMIT_BYTES, SEND_LOW_WATER_BYTES } from "./core/limits.ts";
import type { Transport, TransportHandler } from "./transport.ts";

const CLOSE_UNSUPPORTED_DATA = 1003;
/** What `ws` reports when the peer sent no close frame (RFC 6455 §7.1.5). */
const CLOSE_ABNORMAL = 1006;
/** A close reason is at most 123 bytes (RFC 6455 §5.5); UTF-8 takes up to three for a UTF-16 unit. */
const MAX_CLOSE_REASON_CHARS = 41;

/** Carries messages over a `ws` WebSocket of either side, which must be open and without compression. */
export function createWebSocketTransport(socket: WebSocket): Transport {
  const cork = createCork(socket);
  let handler: TransportHandler | undefined;
  let wasFull = false;

  const readBufferedBytes = (): number => {
    const bytes = socket.bufferedAmount;
    // Whoever was told that there is no room must be told when there is, whatever filled it: `ws` adds pongs by itself.
    if (bytes >= SEND_HIGH_WATER_BYTES) wasFull = true;
    return bytes;
  };
  const afterWrite = (): void => {
    if (readBufferedBytes() > SEND_LOW_WATER_BYTES || !wasFull) return;
    wasFull = false;
    handler?.onDrain();
  };

  listen(socket, () => handler);
  return {
    get bufferedBytes() {
      return readBufferedBytes();
    },
    send(message) {
      if (socket.readyState !== socket.OPEN) return;
      cork();
      socket.send(message, { binary: true, compress: false }, afterWrite);
    },
    ping() {
      if (socket.readyState === socket.OPEN) socket.ping();
    },
    close: (code, reason) => socket.close(code, reason.slice(0, MAX_CLOSE_REASON_CHARS)),
    terminate: () => socket.terminate(),
    setHandler(newHandler) {
      handler = newHandler;
      // A socket that is over says nothing any more, and its owner would wait for ever.
      if (socket.readyState === socket.CLOSED) {
        setImmediate(() => newHandler.onClose(false, "closed before it was used"));
      }
    },
  };
}

/** Returns what makes all messages of one loop turn go out in one write. */
function createCork(socket: WebSocket): () => void {
  // `ws` has no public way to its socket; without one the messages go out one by one.
  const tcp = (socket as unknown as { readonly _socket?: Socket | null })._socket;
  let isCorked = false;
  return () => {
    if (isCorked || tcp === undefined || tcp === null) return;
    isCorked = true;
    tcp.cork();
    setImmediate(() => {
      isCorked = false;
      tcp.uncork();
    });
  };
}

function listen(socket: WebSocket, handler: () => TransportHandler | undefined): void {
  let lastError: string | undefined;
  socket.on("message", (data: RawData, isBinary: boolean) => {
    if (isBinary) return handler()?.onMessage(toBytes(data));
    const reason = "binary messages only";
    socket.close(CLOSE_UNSUPPORTED_DATA, reason);
    handler()?.onViolation?.(reason);
  });
  socket.on("pong", () => handler()?.onPong());
  // `ws` answers each ping by itself: a peer that pings and does not read would fill our memory with pongs.
  socket.on("ping", () => {
    if (socket.bufferedAmount > SEND_LIMIT_BYTES) socket.terminate();
  });
  // `close` follows every error and tells the owner; without a listener the error would end the process.
  socket.on("error", (error) => {
    lastError = error.message;
  });
  socket.on("close", (code, reason) => {
    const isClean = code !== CLOSE_ABNORMAL && lastError === undefined;
    handler()?.onClose(isClean, lastError ?? (reason.toString() || `closed with ${code}`));
  });
}

function toBytes(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
