import type { HeaderList } from "@tenfold/protocol";

/** Headers that give whoever reads them rights elsewhere. A signature is bound to its body, so it may be shown. */
const SENSITIVE: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "proxy-authorization",
  "set-cookie",
  "x-api-key",
]);

/** The headers as they may be shown, with how long each masked value is. */
export function maskHeaders(headers: HeaderList): HeaderList {
  return headers.map((text, index) => {
    const isValue = index % 2 === 1;
    return isValue && SENSITIVE.has(headers[index - 1]?.toLowerCase() ?? "")
      ? `[masked, ${text.length} bytes]`
      : text;
  });
}
