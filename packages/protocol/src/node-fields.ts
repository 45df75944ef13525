import type { HeaderList } from "./core/head.ts";

/**
 * The list as `node:http` has to be given it, for requests and answers alike. After a `Content-Length` Node decodes a `Content-Disposition` as UTF-8 and then sends
 * the result as latin1, which loses bytes above 0x7f; encoding the value first makes that come out as it went in.
 */
export function toNodeFields(headers: HeaderList): string[] {
  const fields = [...headers];
  let lengthSeen = false;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = (fields[at] ?? "").toLowerCase();
    const value = fields[at + 1] ?? "";
    lengthSeen ||= name === "content-length" && Number(value) > 0;
    if (name === "content-disposition" && lengthSeen) {
      fields[at + 1] = Buffer.from(value, "utf8").toString("latin1");
    }
  }
  return fields;
}
