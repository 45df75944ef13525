import { createHmac, timingSafeEqual } from "node:crypto";

/** False for a secret of nothing but white space: whoever guesses that it is unset could sign with it. */
export function isUsableSecret(secret: string): boolean {
  return secret.trim() !== "";
}

/** HMAC-SHA256 over the parts in a row; a string part counts as its UTF-8 bytes. */
export function hmacSha256(secret: string | Uint8Array, parts: readonly (string | Uint8Array)[]): Buffer {
  const hmac = createHmac("sha256", secret);
  for (const part of parts) {
    hmac.update(part);
  }
  return hmac.digest();
}

/** Compares two texts of one byte a char in a time that tells nothing but whether their lengths differ. */
export function isEqualInConstantTime(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"));
}
