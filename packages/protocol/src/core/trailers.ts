import { encodeJson } from "./ascii-json.ts";
import { toHeaders } from "./check-payload.ts";
import { ProtocolError } from "./errors.ts";
import type { HeaderList } from "./head.ts";
import { MAX_PAYLOAD_BYTES } from "./limits.ts";

/** Would the peer take these trailers? They travel in one message, so their JSON has at most `MAX_PAYLOAD_BYTES`. */
export function canSendTrailers(trailers: HeaderList): boolean {
  if (trailers.length === 0) return true;
  try {
    return encodeJson(toHeaders(trailers)).length <= MAX_PAYLOAD_BYTES;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return false;
  }
}
