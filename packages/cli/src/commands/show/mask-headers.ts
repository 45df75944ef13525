import type { HeaderList } from "@tenfold/protocol";

/** Headers that give whoever reads them rights elsewhere. A signature is bound to its body, so it may be shown. */
const SENSITIVE: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "proxy-authorization",
  "set-cookie",
  "x-api-key",
]);
/** Providers and gateways each have a name of their own for a shared secret: `X-Gitlab-Token`, `X-Webhook-Secret`. */
const SENSITIVE_PART = /token|secret|api-?key|password/u;

/** The headers as they may be shown, with how long each masked value is. */
export function maskHeaders(headers: HeaderList): HeaderList {
  return headers.map((text, index) => {
    const isValue = index % 2 === 1;
    const name = headers[index - 1]?.toLowerCase() ?? "";
    return isValue && (SENSITIVE.has(name) || SENSITIVE_PART.test(name))
      ? `[masked, ${text.length} bytes]`
      : text;
  });
}
