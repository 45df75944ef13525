/** A link that carries whole binary messages in order. */
export interface Transport {
  /** Bytes handed to `send` that the operating system has not taken yet. */
  readonly bufferedBytes: number;
  /** Sends one message; a no-op once closed. */
  send(message: Uint8Array): void;
  ping(): void;
  /** Orderly close; `code` as in RFC 6455 §7.4. */
  close(code: number, reason: string): void;
  terminate(): void;
  /** Set once by the mux. */
  setHandler(handler: TransportHandler): void;
}

export interface TransportHandler {
  onMessage(message: Uint8Array): void;
  onPong(): void;
  /** The peer sent something that is no binary message; the transport closes itself. */
  onViolation?(reason: string): void;
  /** `bufferedBytes` fell below the low-water mark after having been above the high-water mark. */
  onDrain(): void;
  /** Exactly once. `clean` tells an orderly close from a broken link. */
  onClose(clean: boolean, reason: string): void;
}
