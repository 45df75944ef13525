import { validateHeaderName, validateHeaderValue } from "node:http";
import type { HeaderList, ResponseHead } from "@tenfold/protocol";
import { getHeaders } from "@tenfold/providers";
import { filterFields, removeHopByHop, removeHopByHopButUpgrade } from "./hop-by-hop.ts";

/** What the framing of an answer depends on, beside its head (RFC 9112 §6.3). */
export interface AnsweredRequest {
  readonly method: string;
  /** `1.0` or `1.1`. */
  readonly httpVersion: string;
}

/** How the public caller finds the end of the body. */
export type AnswerFraming =
  /** No body, whatever the fields say: HEAD, 204, 304. */
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" }
  /** HTTP/1.0: the end of the connection. */
  | { readonly kind: "close" };

export interface PublicHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderList;
  readonly framing: AnswerFraming;
}

/** The head of an answer as the public caller gets it, or undefined when it can't be one of a final answer. */
export function toPublicHead(head: ResponseHead, request: AnsweredRequest): PublicHead | undefined {
  if (head.status < 200 || head.status > 599 || !isWritable(head)) {
    return undefined;
  }
  const headers = removeHopByHop(head.headers);
  const framing = framingOf(head.status, headers, request);
  if (framing === undefined) {
    return undefined;
  }
  return {
    status: head.status,
    statusText: head.statusText,
    // Only a chunked answer has trailers to announce; Node refuses the field anywhere else.
    headers: framing.kind === "chunked" ? headers : filterFields(headers, (name) => name !== "trailer"),
    framing,
  };
}

/** The head that confirms an upgrade, or undefined when the agent's head does not. */
export function toSwitchingHead(head: ResponseHead): ResponseHead | undefined {
  return head.status === 101 && isWritable(head)
    ? { ...head, headers: removeHopByHopButUpgrade(head.headers) }
    : undefined;
}

/** Whether all names and values may stand in an HTTP message: no line break, no NUL, names are tokens. */
export function isWritableFields(headers: HeaderList): boolean {
  try {
    for (let at = 0; at < headers.length; at += 2) {
      validateHeaderName(headers[at] ?? "");
      validateHeaderValue(headers[at] ?? "", headers[at + 1] ?? "");
    }
    return headers.length % 2 === 0;
  } catch {
    return false;
  }
}

function isWritable(head: ResponseHead): boolean {
  return isWritableFields(head.headers) && /^[\t\x20-\x7e\x80-\xff]*$/.test(head.statusText);
}

function framingOf(status: number, headers: HeaderList, request: AnsweredRequest): AnswerFraming | undefined {
  const lengths = getHeaders(headers, "content-length");
  const [length] = lengths;
  if (lengths.length > 1 || (length !== undefined && !/^\d{1,15}$/.test(length))) {
    return undefined;
  }
  if (request.method === "HEAD" || status === 204 || status === 304) {
    return { kind: "none" };
  }
  if (length !== undefined) {
    return { kind: "length", bytes: Number(length) };
  }
  return { kind: request.httpVersion === "1.0" ? "close" : "chunked" };
}
