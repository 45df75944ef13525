import { getHeaders, setHeader } from "../header-list.ts";
import { hmacSha256, isEqualInConstantTime, isUsableSecret } from "../hmac.ts";
import type { SignatureScheme, VerifyResult, Webhook } from "../profile.ts";
import { isOutsideTolerance, toSeconds } from "../tolerance.ts";

/** `t=<unix seconds>,v1=<hex>[,v1=…][,v0=…]`: HMAC-SHA256 over `t.body`, keyed with the whole `whsec_…` text. */
export const STRIPE_SIGNATURE = "Stripe-Signature";

/** `DEFAULT_TOLERANCE` of the official library (npm stripe 23.1.0). It checks the past only: a future `t` passes. */
const TOLERANCE_SECONDS = 300;

/** Whole seconds in at most 11 digits, so until the year 5138: sums with it stay exact. */
const TIMESTAMP = /^\d{1,11}$/;

interface SignatureParts {
  /** Seconds since the epoch; undefined when absent or not a number. */
  readonly timestamp: number | undefined;
  /** All `v1` values; other schemes are left out, so that `v0` can't stand in for `v1`. */
  readonly signatures: readonly string[];
}

/** Accepts and refuses what `stripe.webhooks.constructEvent` does. */
export const stripeSignature: SignatureScheme = {
  headerNames: [STRIPE_SIGNATURE],
  toleranceSeconds: TOLERANCE_SECONDS,
  verify: verifyStripe,
  signedAt,
  sign: signStripe,
};

function verifyStripe(webhook: Webhook, secrets: readonly string[], now: number): VerifyResult {
  const header = readSignatureHeader(webhook);
  if (header === "") {
    return { status: "missing", reason: `no ${STRIPE_SIGNATURE} header` };
  }
  const { timestamp, signatures } = parseSignatureHeader(header);
  if (timestamp === undefined) {
    return { status: "invalid", reason: `no timestamp (t=) in ${STRIPE_SIGNATURE}` };
  }
  if (signatures.length === 0) {
    return { status: "invalid", reason: `no v1 signature in ${STRIPE_SIGNATURE}` };
  }
  if (!fitsAny(webhook.body, timestamp, signatures, secrets)) {
    return { status: "invalid", reason: "no v1 signature fits the body with any known secret" };
  }
  return toTimedResult(timestamp, now);
}

function toTimedResult(timestamp: number, now: number): VerifyResult {
  const ageSeconds = toSeconds(now) - timestamp;
  return isOutsideTolerance({ toleranceSeconds: TOLERANCE_SECONDS }, timestamp * 1000, now)
    ? {
        status: "expired",
        reason: `signature fits, but is ${ageSeconds} s old (tolerance ${TOLERANCE_SECONDS} s)`,
      }
    : { status: "valid", reason: "v1 signature fits" };
}

function fitsAny(
  body: Uint8Array,
  timestamp: number,
  signatures: readonly string[],
  secrets: readonly string[],
): boolean {
  return secrets.filter(isUsableSecret).some((secret) => {
    const expected = computeV1(body, timestamp, secret);
    return signatures.some((signature) => isEqualInConstantTime(signature, expected));
  });
}

function signStripe(webhook: Webhook, secret: string, now: number): Webhook {
  const timestamp = toSeconds(now);
  const value = `t=${timestamp},v1=${computeV1(webhook.body, timestamp, secret)}`;
  return { ...webhook, headers: setHeader(webhook.headers, STRIPE_SIGNATURE, value) };
}

function signedAt(webhook: Webhook): number | undefined {
  const { timestamp } = parseSignatureHeader(readSignatureHeader(webhook));
  return timestamp === undefined ? undefined : timestamp * 1000;
}

function computeV1(body: Uint8Array, timestamp: number, secret: string): string {
  return hmacSha256(secret, [`${timestamp}.`, body]).toString("hex");
}

/** Several fields of the name are joined as Node hands them to the handler. Empty when there is none. */
function readSignatureHeader(webhook: Webhook): string {
  return getHeaders(webhook.headers, STRIPE_SIGNATURE).join(", ");
}

/** As the official library reads it: no white space taken away, the last `t` counts, a value ends at the next `=`. */
function parseSignatureHeader(header: string): SignatureParts {
  let timestamp: number | undefined;
  const signatures: string[] = [];
  for (const item of header.split(",")) {
    const [scheme, value = ""] = item.split("=");
    if (scheme === "t") {
      timestamp = TIMESTAMP.test(value) ? Number(value) : undefined;
    } else if (scheme === "v1") {
      signatures.push(value);
    }
  }
  return { timestamp, signatures };
}
