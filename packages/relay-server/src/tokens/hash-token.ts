import { createHash } from "node:crypto";

/** Lower-case hex SHA-256 of a token, as a relay's configuration keeps it. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token, "utf8").digest("hex");
}
