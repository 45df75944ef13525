export { ProviderError } from "./errors.ts";
export type { ProviderErrorCode } from "./errors.ts";
export type {
  Confidence,
  Fact,
  FoundKey,
  HeaderList,
  KeyLocation,
  ProviderProfile,
  RetryPolicy,
  SignatureScheme,
  VerifyResult,
  VerifyStatus,
  Webhook,
} from "./profile.ts";
export { detectProvider, providerById, providers } from "./detect.ts";
export { findKey } from "./find-key.ts";
export type { Key, KeySource } from "./find-key.ts";
export { rekey } from "./re-key.ts";
export type { Rekeyed } from "./re-key.ts";
export { verifyWebhook } from "./verify.ts";
export type { SignatureState } from "./verify.ts";
export { isStale, resign } from "./sign.ts";
export { getHeader, getHeaders, removeHeader, setHeader } from "./header-list.ts";
