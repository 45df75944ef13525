/** Largest payload of one message, in bytes. Small enough that a large body delays a small delivery by little. */
export const MAX_PAYLOAD_BYTES = 64 * 1024;
/** `type u8 · stream u32`. */
export const FRAME_HEADER_BYTES = 5;
/** Largest WebSocket message, in bytes: what a receiver must accept. */
export const MAX_MESSAGE_BYTES = FRAME_HEADER_BYTES + MAX_PAYLOAD_BYTES;
/** Largest head as JSON, in bytes: header blocks of 64 KiB pass each way even if every second byte has to be escaped. */
export const MAX_HEAD_BYTES = 512 * 1024;
/** Credit of each direction of a stream at its start, in bytes: bounds the memory that a body in flight takes. */
export const INITIAL_WINDOW_BYTES = 256 * 1024;
/** Largest credit that may be outstanding, in bytes; a peer that grants more breaks the rules. */
export const MAX_WINDOW_BYTES = 16 * 1024 * 1024;
/** Streams open at once in one session, unless `welcome` says otherwise. */
export const DEFAULT_MAX_STREAMS = 1024;
/** Largest reason text of a reset, in characters; longer ones are cut by the sender. */
export const MAX_REASON_CHARS = 512;
/** Bytes handed to the transport at which streams stop writing. */
export const SEND_HIGH_WATER_BYTES = 1024 * 1024;
/** Bytes left in the transport at which they go on. */
export const SEND_LOW_WATER_BYTES = 256 * 1024;
/** Largest body that rides with its head even while the transport is full, in bytes: small deliveries overtake large ones. */
export const SMALL_BODY_BYTES = 16 * 1024;
/**
 * Bytes in the transport at which the link is given up: heads, small bodies and control messages do not wait for room, and a
 * peer that sends but never reads must not fill our memory with the answers.
 */
export const SEND_LIMIT_BYTES = 64 * 1024 * 1024;
/** A silent link is pinged after this long, in ms. */
export const PING_INTERVAL_MS = 15_000;
/** A ping without any answer for this long means that the link is dead, in ms. */
export const PING_DEADLINE_MS = 10_000;
/** How long an orderly close may take before the link is dropped, in ms. */
export const CLOSE_TIMEOUT_MS = 3_000;
