import { isIPv6 } from "node:net";
import { CliError } from "../errors.ts";

const MAX_PORT = 65_535;
const DEFAULT_PORTS = { http: 80, https: 443 } as const;
const EXAMPLES =
  "Write a port (3000), an address (localhost:3000, [::1]:3000) or a URL (http://127.0.0.1:3000/base).";

/** scheme, host in brackets, plain host, port, path with its leading slash. */
const TARGET = /^(?:(https?):\/\/)?(?:\[([^\]]*)\]|([^:/[\]]+))(?::([^/]*))?(\/.*)?$/i;
const HOST_NAME = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?\.?$/i;
const BASE_PATH = /^[\x21-\x7e]*$/;

/**
 * Reads a target as a user writes it and gives its normal form: scheme, lower-case host, port unless it is the scheme's
 * own, base path byte for byte without a trailing slash. A bare port means `http://localhost:PORT`.
 *
 * @throws CliError `bad-port` for a port outside 1–65535 · `bad-target` for all else that is no target
 */
export function parseTarget(text: string): string {
  if (/^[0-9]+$/.test(text)) {
    return `http://localhost${portSuffix(text, text, "http")}`;
  }
  refuseUnwanted(text);
  const match = TARGET.exec(text);
  if (match === null) {
    throw badTarget(text, "it is no port, host and port, or URL");
  }
  const [, scheme, address, name, port, path] = match;
  if (scheme === undefined && port === undefined) {
    throw badTarget(text, "it has no port");
  }
  const protocol = scheme?.toLowerCase() === "https" ? "https" : "http";
  const suffix = port === undefined ? "" : portSuffix(text, port, protocol);
  return `${protocol}://${hostOf(text, address, name)}${suffix}${basePath(text, path ?? "")}`;
}

function refuseUnwanted(text: string): void {
  if (isIPv6(text) || isBareIpv6WithPort(text)) {
    throw badTarget(text, `an IPv6 address stands in brackets: ${bracketed(text)}`);
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) && !/^https?:/i.test(text)) {
    throw badTarget(text, "only http:// and https:// are targets");
  }
  if (/^https?:\/\/(?:[/:]|$)/i.test(text)) {
    throw badTarget(text, "it names no host");
  }
  if (/[?#]/.test(text)) {
    throw badTarget(text, "a target has no query and no fragment");
  }
  if (/^[^/]*(?:\/\/[^/]*)?@/.test(text)) {
    throw badTarget(withoutUserInfo(text), "a target has no user name or password");
  }
}

function isBareIpv6WithPort(text: string): boolean {
  const last = text.lastIndexOf(":");
  return last > 0 && isIPv6(text.slice(0, last)) && /^[0-9]+$/.test(text.slice(last + 1));
}

function bracketed(text: string): string {
  const last = text.lastIndexOf(":");
  const [host, port] = isBareIpv6WithPort(text)
    ? [text.slice(0, last), text.slice(last + 1)]
    : [text, "3000"];
  return `[${host}]:${port}`;
}

/** A password typed by mistake must not be printed back. */
function withoutUserInfo(text: string): string {
  return text.replace(/^((?:[a-z]+:)?(?:\/\/)?)[^/]*@/i, "$1…@");
}

function portSuffix(text: string, port: string, protocol: keyof typeof DEFAULT_PORTS): string {
  const number = Number(port);
  if (!/^[0-9]+$/.test(port) || number < 1 || number > MAX_PORT) {
    throw new CliError("bad-port", `"${text}" is not a target: the port is a number from 1 to ${MAX_PORT}.`, {
      hint: EXAMPLES,
    });
  }
  return number === DEFAULT_PORTS[protocol] ? "" : `:${number}`;
}

function hostOf(text: string, address: string | undefined, name: string | undefined): string {
  if (address !== undefined) {
    if (!isIPv6(address) || address.includes("%")) {
      throw badTarget(text, `[${address}] is not an IPv6 address`);
    }
    return `[${address.toLowerCase()}]`;
  }
  if (name === undefined || !HOST_NAME.test(name)) {
    throw badTarget(text, "its host name is not valid");
  }
  return name.toLowerCase();
}

function basePath(text: string, path: string): string {
  if (!BASE_PATH.test(path)) {
    throw badTarget(
      text,
      "its path holds a space or another character that a URL writes as %20 and the like",
    );
  }
  return path.replace(/\/+$/, "");
}

function badTarget(text: string, why: string): CliError {
  return new CliError("bad-target", `"${text}" is not a target: ${why}.`, { hint: EXAMPLES });
}
