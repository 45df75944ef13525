import { STATUS_CODES } from "node:http";
import type { HeaderList } from "@tenfold/protocol";

/** The bytes of an HTTP/1.1 response head. Undefined text: the standard phrase of the status. */
export function renderHead(status: number, statusText: string | undefined, headers: HeaderList): Buffer {
  const lines = [`HTTP/1.1 ${status} ${statusText ?? STATUS_CODES[status] ?? ""}`];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    lines.push(`${headers[at]}: ${headers[at + 1]}`);
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}
