/** `[name, value, …]`, one char per byte (latin1), in the order and spelling of the wire. */
export type HeaderList = readonly string[];

/** A webhook as it came in: bytes, never parsed values. */
export interface Webhook {
  readonly method: string;
  /** Request-target as received, or the public URL where a provider signs the URL. */
  readonly url: string;
  readonly headers: HeaderList;
  readonly body: Uint8Array;
}

/** Where a key stands: in a header, or at a path of object keys in the JSON body. */
export type KeyLocation =
  | { readonly in: "header"; readonly name: string }
  | { readonly in: "body"; readonly path: readonly string[] };

export interface FoundKey {
  /** The key without the quotes that the IETF draft puts around it. */
  readonly key: string;
  readonly location: KeyLocation;
}

/**
 * - `valid`: one of the secrets fits and the timestamp is inside the tolerance
 * - `expired`: one of the secrets fits, but the timestamp is outside the tolerance
 * - `invalid`: no secret fits, or the header is malformed
 * - `missing`: the provider signs, this webhook has no signature
 */
export type VerifyStatus = "valid" | "expired" | "invalid" | "missing";

export interface VerifyResult {
  readonly status: VerifyStatus;
  /** In plain words, without secrets. */
  readonly reason: string;
}

export interface SignatureScheme {
  /** Header (or headers) that carry signature and timestamp; for display and for `stale` checks. */
  readonly headerNames: readonly string[];
  /** Seconds into the past that the provider's own library accepts; null: no timestamp, an old capture stays valid. */
  readonly toleranceSeconds: number | null;
  /** Seconds into the future that the provider's own library accepts; absent: it checks the past only. */
  readonly futureToleranceSeconds?: number;
  /** Does the signature cover what stands there? Absent: it covers the body and no header. */
  covers?(location: KeyLocation): boolean;
  /** Verifies in constant time against each secret (rotation). `now` in ms since the epoch. Never throws on bad input. */
  verify(webhook: Webhook, secrets: readonly string[], now: number): VerifyResult;
  /** Time of the signature in ms since the epoch, undefined when there is none or it can't be read. Needs no secret. */
  signedAt(webhook: Webhook): number | undefined;
  /**
   * Makes the signature anew over the webhook's present body at `now`, with the first secret. Only the signature's own
   * headers change, in place; all others keep their position and bytes.
   */
  sign(webhook: Webhook, secret: string, now: number): Webhook;
}

/** How sure a fact is. O official page or server source · S official SDK code, run · T third party only · U not verified. */
export type Confidence = "O" | "S" | "T" | "U";

export interface Fact<T> {
  readonly value: T;
  readonly confidence: Confidence;
  readonly sources: readonly string[];
  /** Day of collection, `YYYY-MM-DD`. */
  readonly date: string;
}

export interface RetryPolicy {
  /** Delays after the first attempt, in seconds; null where the provider publishes no schedule. */
  readonly delaysSeconds: readonly number[] | null;
  readonly totalSeconds: number | null;
  /** Attempts in all, the first one included; absent: not published. */
  readonly attempts?: number;
  readonly note: string;
}

export interface ProviderProfile {
  /** Stable id: `stripe`. */
  readonly id: string;
  readonly name: string;
  /** True when this webhook comes from the provider, by headers and, where needed, by body. */
  detect(webhook: Webhook): boolean;
  findKey(webhook: Webhook): FoundKey | undefined;
  /** Further places where the provider repeats the key; a fresh key replaces those that hold the old one. */
  readonly keyCopies?: readonly KeyLocation[];
  /** The provider's event type, e.g. `invoice.paid`; undefined when it can't be read. */
  eventType(webhook: Webhook): string | undefined;
  /** A fresh key of the same form as the old one. Random, from node:crypto. */
  mintKey(oldKey: string): string;
  readonly signature: SignatureScheme | null;
  /** Does this status (and body) tell the provider that the webhook was taken? */
  acknowledges(status: number): boolean;
  readonly timeoutMs: Fact<number | null>;
  readonly retryPolicies: { readonly documented: Fact<RetryPolicy>; readonly reported?: Fact<RetryPolicy> };
}
