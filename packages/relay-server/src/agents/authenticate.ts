import { timingSafeEqual } from "node:crypto";
import type { TokenGrant } from "../config.ts";
import { hashToken } from "../tokens/hash-token.ts";

/**
 * The grant of a token, or undefined when no grant fits. Hashes are compared in constant time and all of them are
 * compared, so that the time taken says nothing about the token or its place in the list. Without any grants each token
 * is an owner of its own that may use any name.
 */
export function authenticate(token: string, grants: readonly TokenGrant[]): TokenGrant | undefined {
  const sha256 = hashToken(token);
  if (grants.length === 0) {
    return { id: `open-${sha256.slice(0, OPEN_ID_DIGITS)}`, sha256, names: "*" };
  }
  let found: TokenGrant | undefined;
  for (const grant of grants) {
    if (isSameHash(grant.sha256, sha256)) {
      found = grant;
    }
  }
  return found;
}

/** Enough to tell owners apart in a log, too little to say anything about the token. */
const OPEN_ID_DIGITS = 8;

function isSameHash(a: string, b: string): boolean {
  const left = Buffer.from(a, "hex");
  const right = Buffer.from(b, "hex");
  return left.length === right.length && timingSafeEqual(left, right);
}
