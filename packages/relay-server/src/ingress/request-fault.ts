import type { HeaderList } from "@tenfold/protocol";
import { getHeaders } from "@tenfold/providers";
import type { PublicErrorCode } from "./public-errors.ts";

export interface FramedHead {
  /** `1.0` or `1.1`. */
  readonly httpVersion: string;
  readonly headers: HeaderList;
}

/**
 * What is wrong with a head that Node's strict parser let through, or undefined. Two readers that frame a message
 * differently are how requests are smuggled (RFC 9112 §11.2), so doubt is refused.
 */
export function findRequestFault(head: FramedHead): PublicErrorCode | undefined {
  const hosts = getHeaders(head.headers, "host").length;
  if (hosts > 1 || (hosts === 0 && head.httpVersion === "1.1")) {
    return "bad-host";
  }
  const codings = getHeaders(head.headers, "transfer-encoding");
  if (codings.length === 0) {
    return undefined;
  }
  if (head.httpVersion === "1.0" || getHeaders(head.headers, "content-length").length > 0) {
    return "bad-request";
  }
  // Any other coding would have to be undone here, since the field itself ends at this hop (RFC 9112 §6.1 asks for 501).
  return codings.length === 1 && codings[0]?.trim().toLowerCase() === "chunked"
    ? undefined
    : "transfer-encoding-unsupported";
}
