/** What a peer did wrong, or what we were about to do wrong. */
const PROTOCOL_ERROR_CODES = [
  /** A message that is no frame: too short, too long, an unknown type, a bad payload. */
  "malformed-frame",
  /** A frame that is not allowed in this state of the session or the stream. */
  "unexpected-frame",
  /** A frame for a stream that was never opened. */
  "unknown-stream",
  /** More bytes than the credit allows, or credit beyond `MAX_WINDOW_BYTES`. */
  "flow-control",
  /** A head larger than `MAX_HEAD_BYTES`. */
  "head-too-large",
  /** `openStream` at the limit that `welcome` set. */
  "too-many-streams",
  /** A call on a session that is over, or not welcomed yet. */
  "session-not-open",
] as const;
export type ProtocolErrorCode = (typeof PROTOCOL_ERROR_CODES)[number];

/** The only error that the protocol core throws. One from `receive` ends the session. */
export class ProtocolError extends Error {
  readonly code: ProtocolErrorCode;

  constructor(code: ProtocolErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "ProtocolError";
    this.code = code;
  }
}
