/** Largest request head, in bytes: well above the 16 KiB of common servers, so that the relay is never the strictest hop. */
export const MAX_HEAD_BYTES = 128 * 1024;

/** How long a sender may take for its head, in ms: keeps slow senders from holding sockets without ever asking anything. */
export const HEADERS_TIMEOUT_MS = 30_000;

/** How often that is looked at, in ms; Node's own half minute would double it. */
export const CONNECTIONS_CHECK_MS = 5_000;

/** How long an idle connection is kept, in ms: longer than the 60 s of nginx and ALBs, so that the front closes first. */
export const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Request body that may ride in the head message, in bytes: holds nearly every webhook, far below one wire message. */
export const FIRST_BODY_BYTES = 16 * 1024;

/** Default wait for a target's response head, in ms: longer than the agent's own time-out, which names the cause better. */
export const RESPONSE_TIMEOUT_MS = 120_000;

/** Default number of streams open at once in one session. */
export const MAX_STREAMS = 1024;

/**
 * What is still read of a request body after its answer, so that a sender that writes first and reads later sees the
 * answer and not a broken connection: bytes and ms.
 */
export const REST_OF_BODY_BYTES = 8 * 1024 * 1024;
export const REST_OF_BODY_MS = 10_000;

/** How long a refused socket is kept half open in ms, so that the answer is not lost in a TCP reset. */
export const LINGER_MS = 2_000;

/** How long an agent may take for its `hello`, in ms. */
export const HELLO_TIMEOUT_MS = 10_000;

/** How long a name stays its token's after the session is lost, in ms. */
export const LEASE_MS = 60_000;

/** Leases kept at once; the oldest goes first, since it would have ended first. */
export const MAX_LEASES = 10_000;

/** How long open deliveries may go on when the relay closes, in ms. */
export const CLOSE_GRACE_MS = 5_000;

/** What an agent is told to wait before a public caller should ask again, in seconds: an agent's usual reconnect. */
export const RETRY_AFTER_SECONDS = 5;
