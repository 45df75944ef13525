import { AGENT_PATH } from "@tenfold/protocol";
import { CliError } from "../errors.ts";

const WEBSOCKET_SCHEMES: Readonly<Record<string, string>> = {
  "http:": "ws:",
  "ws:": "ws:",
  "https:": "wss:",
  "wss:": "wss:",
};
const LOOPBACK_HOST = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/;

/**
 * The WebSocket URL of a relay for agents, from the URL that the user gave (http, https, ws or wss; a path is a prefix).
 *
 * @throws CliError `usage` for what is no such URL · `plaintext-token` when a token would cross an open network
 */
export function toRelayEndpoint(relayUrl: string): string {
  const url = parseRelayUrl(relayUrl);
  const scheme = WEBSOCKET_SCHEMES[url.protocol];
  if (scheme === undefined) {
    throw notARelay(withoutCredentials(url));
  }
  if (scheme === "ws:" && !LOOPBACK_HOST.test(url.hostname)) {
    throw new CliError(
      "plaintext-token",
      `${url.protocol}//${url.host} would send the token unencrypted over the network.`,
      {
        hint: `Use https://${url.host}, or put the relay behind a TLS front such as Caddy.`,
      },
    );
  }
  return `${scheme}//${url.host}${url.pathname.replace(/\/+$/, "")}${AGENT_PATH}`;
}

/** A relay URL as it may be shown: without user name, password, query and fragment. */
export function shownRelayUrl(relayUrl: string): string {
  return withoutCredentials(parseRelayUrl(relayUrl));
}

function parseRelayUrl(text: string): URL {
  const candidate = text.includes("://") ? text : `https://${text}`;
  if (!URL.canParse(candidate)) {
    throw notARelay(text.replace(/\/\/[^/]*@/, "//…@"));
  }
  return new URL(candidate);
}

function withoutCredentials(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}`;
}

function notARelay(shown: string): CliError {
  return new CliError("usage", `"${shown}" is not the URL of a relay.`, {
    hint: "Write it as https://hooks.example.com (http:// only on this machine).",
  });
}
