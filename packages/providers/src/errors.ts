/**
 * - `key-invalid`: the key to be put in is not usable as one, or is the old key
 * - `secret-blank`: signing was asked for with an empty secret
 */
export type ProviderErrorCode = "key-invalid" | "secret-blank";

/** A caller's mistake that would make a wrong webhook. What comes from outside never ends in an error of this package. */
export class ProviderError extends Error {
  readonly code: ProviderErrorCode;

  constructor(code: ProviderErrorCode, message: string) {
    super(message);
    this.name = "ProviderError";
    this.code = code;
  }
}
