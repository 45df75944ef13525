import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import { getHeader } from "@tenfold/providers";
import { createAgentGateway, type AgentGateway } from "./agents/gateway.ts";
import type { AgentSession } from "./agents/connection.ts";
import { checkConfig } from "./check-config.ts";
import type { Relay, RelayConfig, RelayDeps } from "./config.ts";
import { RelayError } from "./errors.ts";
import { createDeliveryIds } from "./ingress/delivery-id.ts";
import { createIngressHandler, type TunnelState } from "./ingress/ingress-handler.ts";
import { createIngressServer, type IngressServer } from "./ingress/ingress-server.ts";
import { CLOSE_GRACE_MS } from "./limits.ts";
import { isReserved } from "./tunnels/choose-name.ts";
import { TunnelRegistry } from "./tunnels/registry.ts";
import { labelBelow } from "./tunnels/tunnel-host.ts";

/**
 * Starts a relay; it accepts requests and agents when the promise resolves.
 * @throws RelayError `bad-config` · `needs-token` · `port-in-use` · `port-forbidden`
 */
export async function createRelay(config: RelayConfig, deps: RelayDeps): Promise<Relay> {
  checkConfig(config);
  const registry = new TunnelRegistry<AgentSession>({ now: deps.now });
  let publicUrl = "";
  const urlOf = (name: string): string => publicUrlOf(name, publicUrl, config);

  const gateway = createAgentGateway(config, { ...deps, registry, urlOf });
  const findTunnel = (name: string): TunnelState => stateOf(name, registry, config);
  const nextDeliveryId = createDeliveryIds(deps.now);
  const handler = createIngressHandler(config, { ...deps, findTunnel, nextDeliveryId });
  const ingress = createIngressServer(
    handler,
    (req, socket, first) => !isTunnelsOwn(req, config) && gateway.take(req, socket, first),
  );

  const port = await listen(ingress, config);
  const url = `http://${toUrlHost(config.host)}:${port}`;
  publicUrl = (config.publicUrl ?? defaultPublicUrl(url, port, config)).replace(/\/+$/, "");
  deps.log("info", "relay.listening", { url, routing: config.routing });

  let closed: Promise<void> | undefined;
  return {
    url,
    port,
    async close(graceMs = CLOSE_GRACE_MS) {
      closed ??= shutDown(ingress, gateway, graceMs);
      await closed;
    },
  };
}

function defaultPublicUrl(url: string, port: number, { domain }: RelayConfig): string {
  return domain === undefined ? url : `http://${domain}:${port}`;
}

function publicUrlOf(name: string, publicUrl: string, { routing, domain }: RelayConfig): string {
  if (domain !== undefined) {
    return publicUrl.replace(/^([a-z]+:\/\/)(?:\[[^\]]*\]|[^:/]*)/, `$1${name}.${domain}`);
  }
  return routing === "embedded" ? publicUrl : `${publicUrl}/t/${name}`;
}

/** A tunnel's host has no path of the relay's own, not even the agents' door. */
function isTunnelsOwn(req: IncomingMessage, { domain }: RelayConfig): boolean {
  const host = getHeader(req.rawHeaders, "host") ?? "";
  return domain !== undefined && labelBelow(host, domain) !== undefined;
}

/** A name is known while it is served or leased, and for good when a token lists it. */
function stateOf(name: string, registry: TunnelRegistry<AgentSession>, config: RelayConfig): TunnelState {
  const session = registry.find(name);
  if (session !== undefined) {
    return { kind: "live", mux: session.mux };
  }
  const isKnown = config.routing === "embedded" || registry.isHeld(name) || isReserved(name, config.tokens);
  return { kind: isKnown ? "offline" : "unknown" };
}

async function listen(ingress: IngressServer, config: RelayConfig): Promise<number> {
  // Without a resolver, so that the relay listens where `isLoopback` says that it does.
  const host = config.host === "localhost" ? "127.0.0.1" : config.host;
  try {
    return await ingress.listen(config.port, host);
  } catch (error) {
    throw toRelayError(error, config);
  }
}

function toRelayError(error: unknown, { host, port }: RelayConfig): unknown {
  switch (error instanceof Error && "code" in error ? error.code : undefined) {
    case "EADDRINUSE":
      return new RelayError("port-in-use", `port ${port} on ${host} is in use`, {
        hint: "Take another port, 0 for any free one, or end what listens there.",
        cause: error,
      });
    case "EACCES":
      return new RelayError("port-forbidden", `port ${port} on ${host} is not open to this user`, {
        hint: "Take a port from 1024 on, or put a web server in front.",
        cause: error,
      });
    case "EADDRNOTAVAIL":
    case "EAFNOSUPPORT":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EINVAL":
      return new RelayError("bad-config", `${host} is no address of this machine`, {
        hint: "Use 127.0.0.1, 0.0.0.0, or an address of one of its interfaces.",
        cause: error,
      });
    default:
      return error;
  }
}

/** An address that listens everywhere is named by one that can be asked. */
function toUrlHost(host: string): string {
  switch (host) {
    case "0.0.0.0":
    case "localhost":
      return "127.0.0.1";
    case "::":
      return "[::1]";
    default:
      return isIPv6(host) ? `[${host}]` : host;
  }
}

async function shutDown(ingress: IngressServer, gateway: AgentGateway, graceMs: number): Promise<void> {
  ingress.stopAccepting();
  gateway.drain("the relay is shutting down");
  await atMost(ingress.whenIdle(), graceMs);
  await gateway.close("the relay is shutting down");
  await ingress.destroy();
}

async function atMost(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
