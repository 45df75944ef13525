/** Longest domain in chars: with a label of 63 and a dot before it, a host name stays within 253 (RFC 1035 §2.3.4). */
const MAX_DOMAIN_CHARS = 189;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** No top-level domain is a number; what ends in one is an IPv4 address. */
const NUMERIC_END = /(?:^|\.)[0-9]+$/;

/** Whether tunnels can be hosts below it: a host name in lower case, without a wildcard, a port or a dot at the end. */
export function isTunnelDomain(domain: string): boolean {
  return domain.length <= MAX_DOMAIN_CHARS && DOMAIN.test(domain) && !NUMERIC_END.test(domain);
}

/**
 * What stands before `.domain` in a host: `shop` in `Shop.hooks.example.com.:8443`. Case, port and one dot at the end count for
 * nothing (RFC 9110 §4.2.3). Undefined when the host is not below the domain; the domain itself is not.
 */
export function labelBelow(host: string, domain: string): string | undefined {
  const name = plainHost(host);
  return name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : undefined;
}

/** Host name or address in lower case, without port and one dot at the end. */
export function plainHost(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/:[0-9]*$/, "")
    .replace(/\.$/, "");
}
