import { detectProvider } from "./detect.ts";
import { ProviderError } from "./errors.ts";
import type { Key } from "./find-key.ts";
import { findKey } from "./find-key.ts";
import { getHeader, setHeader } from "./header-list.ts";
import { isUsableSecret } from "./hmac.ts";
import { readJsonString, replaceJsonString } from "./json-edit.ts";
import { isUsableKey } from "./key-form.ts";
import { KEY_HEADER_NAMES, mintHeaderKey, readHeaderKey, replaceHeaderKey } from "./key-header.ts";
import type { KeyLocation, ProviderProfile, SignatureScheme, Webhook } from "./profile.ts";
import { resign } from "./sign.ts";
import { isSigned } from "./verify.ts";

export interface Rekeyed {
  readonly webhook: Webhook;
  readonly key: string;
  readonly oldKey: string;
  /**
   * - `resigned`: made anew with the secret
   * - `broken`: signed, and the secret is not known, so the signature no longer fits
   * - `none`: not signed, or the signature does not cover the key and still fits
   */
  readonly signature: "resigned" | "broken" | "none";
  /** Names of the headers that the new signature stands in; empty unless `resigned`. */
  readonly resignedHeaders: readonly string[];
}

export interface RekeyOptions {
  /** The provider's signing secret; absent or blank: not known. */
  readonly secret?: string;
  /** Time of the new signature, in ms since the epoch. */
  readonly now: number;
  /** The key to put in; absent: a random one of the same form as the old one. */
  readonly newKey?: string;
}

/**
 * Puts a fresh key in the place of the old one: in the body the one JSON string token, in a header the value, quotes
 * kept. Copies that the provider names, and key headers that hold the old key, follow; a `Content-Length` is set right.
 * All else stays byte for byte. Then the webhook is signed again where the signature covers what was changed.
 *
 * @returns undefined when the webhook brings no key.
 * @throws ProviderError `key-invalid` for a `newKey` that is the old one or not visible ASCII of 1 to 255 chars
 */
export function rekey(webhook: Webhook, options: RekeyOptions): Rekeyed | undefined {
  const profile = detectProvider(webhook);
  const found = findKey(webhook, profile);
  if (found === undefined) {
    return undefined;
  }
  const key = options.newKey ?? mintKey(found, profile);
  assertFresh(key, found.key);
  const locations = [found.location, ...findCopies(webhook, found, profile)];
  const fresh = fitContentLength(
    locations.reduce((edited, location) => putKey(edited, location, key), webhook),
  );
  const signed = renewSignature(fresh, profile, locations, options);
  return { ...signed, key, oldKey: found.key };
}

function mintKey(found: Key, profile: ProviderProfile | undefined): string {
  return found.source === "provider" && profile !== undefined
    ? profile.mintKey(found.key)
    : mintHeaderKey(found.key);
}

function assertFresh(key: string, oldKey: string): void {
  if (key === oldKey) {
    throw new ProviderError(
      "key-invalid",
      `The new key ${key} is the old one. Choose another, or let one be made.`,
    );
  }
  if (!isUsableKey(key)) {
    throw new ProviderError(
      "key-invalid",
      `The new key ${JSON.stringify(key)} can't stand in a header. ` +
        "Use 1 to 255 visible ASCII chars, without quote and backslash.",
    );
  }
}

function findCopies(webhook: Webhook, found: Key, profile: ProviderProfile | undefined): KeyLocation[] {
  const candidates: KeyLocation[] = [
    ...(profile?.keyCopies ?? []),
    ...KEY_HEADER_NAMES.map((name) => ({ in: "header", name }) as const),
  ];
  return candidates.filter((location) => readKey(webhook, location) === found.key);
}

function readKey(webhook: Webhook, location: KeyLocation): string | undefined {
  return location.in === "header"
    ? readHeaderKey(webhook.headers, location.name)
    : readJsonString(webhook.body, location.path);
}

function putKey(webhook: Webhook, location: KeyLocation, key: string): Webhook {
  if (location.in === "body") {
    return { ...webhook, body: replaceJsonString(webhook.body, location.path, key) ?? webhook.body };
  }
  const oldValue = getHeader(webhook.headers, location.name) ?? "";
  return {
    ...webhook,
    headers: setHeader(webhook.headers, location.name, replaceHeaderKey(oldValue, key)),
  };
}

/** A fixture's short id is replaced by a longer one: with the old length the target would read a cut body. */
function fitContentLength(webhook: Webhook): Webhook {
  const length = String(webhook.body.length);
  const stated = getHeader(webhook.headers, "Content-Length");
  return stated === undefined || stated === length
    ? webhook
    : { ...webhook, headers: setHeader(webhook.headers, "Content-Length", length) };
}

function renewSignature(
  webhook: Webhook,
  profile: ProviderProfile | undefined,
  changed: readonly KeyLocation[],
  options: RekeyOptions,
): Pick<Rekeyed, "webhook" | "signature" | "resignedHeaders"> {
  const scheme = profile?.signature;
  const isCovered = scheme != null && changed.some((location) => covers(scheme, location));
  if (profile === undefined || !isCovered || !isSigned(webhook, scheme)) {
    return { webhook, signature: "none", resignedHeaders: [] };
  }
  if (options.secret === undefined || !isUsableSecret(options.secret)) {
    return { webhook, signature: "broken", resignedHeaders: [] };
  }
  return {
    webhook: resign(webhook, profile, options.secret, options.now),
    signature: "resigned",
    resignedHeaders: scheme.headerNames,
  };
}

function covers(scheme: SignatureScheme, location: KeyLocation): boolean {
  return scheme.covers?.(location) ?? location.in === "body";
}
