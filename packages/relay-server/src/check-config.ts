import { isIP } from "node:net";
import type { RelayConfig, TokenGrant } from "./config.ts";
import { RelayError } from "./errors.ts";
import { isTunnelName } from "./tunnels/name.ts";
import { isTunnelDomain } from "./tunnels/tunnel-host.ts";

/**
 * Looks for what would fail or be unsafe later.
 * @throws RelayError `bad-config` · `needs-token`: without tokens off loopback
 */
export function checkConfig(config: RelayConfig): void {
  const fault = findFault(config);
  if (fault !== undefined) {
    throw new RelayError("bad-config", fault.message, { hint: fault.hint });
  }
  if (config.tokens.length === 0 && !isLoopback(config.host)) {
    throw new RelayError("needs-token", `a relay on ${config.host} needs at least one token`, {
      hint: "Give it a token, or let it listen on 127.0.0.1: without one, anybody could open tunnels.",
    });
  }
}

/** Whether only this machine reaches the address. */
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

interface Fault {
  readonly message: string;
  readonly hint: string;
}

function findFault(config: RelayConfig): Fault | undefined {
  const { port, maxBodyBytes = 0, maxStreams = 1, responseTimeoutMs = 1 } = config;
  if (!isCount(port, 0, MAX_PORT)) {
    return { message: `${port} is no port`, hint: `Use 0 for any free port, or 1 to ${MAX_PORT}.` };
  }
  if (!isCount(maxBodyBytes, 0)) {
    return {
      message: `maxBodyBytes is ${maxBodyBytes}`,
      hint: "Use a whole number of bytes; 0 means no limit.",
    };
  }
  if (!isCount(maxStreams, 1)) {
    return { message: `maxStreams is ${maxStreams}`, hint: "Use a whole number from 1." };
  }
  if (!isCount(responseTimeoutMs, 1, MAX_TIMER_MS)) {
    return { message: `responseTimeoutMs is ${responseTimeoutMs}`, hint: "Use a whole number of ms from 1." };
  }
  if (config.routing === "embedded" && !isLoopback(config.host)) {
    return { message: `an embedded relay can't listen on ${config.host}`, hint: "Use 127.0.0.1." };
  }
  return (
    findUrlFault(config.publicUrl) ??
    findDomainFault(config) ??
    config.tokens.map(findGrantFault).find((fault) => fault !== undefined)
  );
}

const MAX_PORT = 65_535;

/** Node's timers fire at once beyond this. */
const MAX_TIMER_MS = 2_147_483_647;

function isCount(value: number, least: number, most = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most;
}

function findUrlFault(publicUrl: string | undefined): Fault | undefined {
  if (publicUrl === undefined || /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/.test(publicUrl)) {
    return undefined;
  }
  return {
    message: `the public URL "${publicUrl}" can't be the base of tunnels`,
    hint: "Use http:// or https://, a host, and a path if need be; no user, query or fragment.",
  };
}

function findDomainFault({ domain, publicUrl, routing }: RelayConfig): Fault | undefined {
  if (domain === undefined) {
    return undefined;
  }
  if (routing === "embedded") {
    return { message: "an embedded relay has one tunnel and no domain", hint: "Leave the domain out." };
  }
  if (!isTunnelDomain(domain)) {
    return {
      message: `"${domain}" can't be the domain of tunnels`,
      hint: "Use a host name in lower case, such as hooks.example.com: no *, scheme, port, path or address.",
    };
  }
  return publicUrl === undefined || /^[a-z]+:\/\/[^/]+\/*$/.test(publicUrl)
    ? undefined
    : {
        message: `the public URL "${publicUrl}" has a path, and tunnels are hosts below ${domain}`,
        hint: "Leave the path out of the public URL, or leave out the domain.",
      };
}

function findGrantFault(grant: TokenGrant): Fault | undefined {
  if (!/^[0-9a-f]{64}$/.test(grant.sha256)) {
    return {
      message: `the hash of token "${grant.id}" is not the hex of a SHA-256`,
      hint: "Make it with hashToken.",
    };
  }
  const bad = grant.names === "*" ? undefined : grant.names.find((name) => !isTunnelName(name));
  return bad === undefined
    ? undefined
    : {
        message: `token "${grant.id}" owns "${bad}", which can't be a tunnel name`,
        hint: "Use 1 to 63 lower-case letters, digits and dashes, with no dash at either end.",
      };
}
