import type { SignatureScheme } from "./profile.ts";

type Tolerance = Pick<SignatureScheme, "toleranceSeconds" | "futureToleranceSeconds">;

/**
 * Does the provider's own library refuse a signature of that time? Counts in whole seconds, as the libraries do, and
 * the bound itself is still accepted.
 *
 * @param signedAt ms since the epoch
 * @param now ms since the epoch
 */
export function isOutsideTolerance(tolerance: Tolerance, signedAt: number, now: number): boolean {
  if (tolerance.toleranceSeconds === null) {
    return false;
  }
  const ageSeconds = toSeconds(now) - toSeconds(signedAt);
  const aheadSeconds = tolerance.futureToleranceSeconds ?? Number.POSITIVE_INFINITY;
  return ageSeconds > tolerance.toleranceSeconds || -ageSeconds > aheadSeconds;
}

/** Whole seconds since the epoch. */
export function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
