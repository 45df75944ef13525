import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { RelayMux, RequestHead } from "@tenfold/protocol";
import { getHeader } from "@tenfold/providers";
import type { RelayConfig, RelayDeps } from "../config.ts";
import { RESPONSE_TIMEOUT_MS } from "../limits.ts";
import { resolveRoute, type Route } from "../tunnels/resolve-route.ts";
import { forwardDelivery, type DeliveryResult } from "./forward-delivery.ts";
import { forwardUpgrade } from "./forward-upgrade.ts";
import type { PublicErrorCode } from "./public-errors.ts";
import { findRequestFault } from "./request-fault.ts";
import { RequestBody } from "./request-body.ts";
import { namesAnotherHost, toForwardedHeaders, toOriginForm } from "./request-head.ts";
import { sendError, sendErrorToSocket } from "./send-error.ts";

/** Where a tunnel's deliveries go now. */
export type TunnelState =
  | { readonly kind: "live"; readonly mux: Pick<RelayMux, "openStream"> }
  | { readonly kind: "offline" }
  | { readonly kind: "unknown" };

export interface IngressDeps extends RelayDeps {
  readonly findTunnel: (name: string) => TunnelState;
  readonly nextDeliveryId: () => string;
}

export interface IngressHandler {
  /** Resolves when nothing of the exchange is left. */
  onRequest(req: IncomingMessage, res: ServerResponse, expectsContinue: boolean): Promise<void>;
  onUpgrade(req: IncomingMessage, socket: Duplex, firstBytes: Buffer): Promise<void>;
  onBadExpectation(req: IncomingMessage, res: ServerResponse): Promise<void>;
}

type TunnelRoute = Extract<Route, { readonly kind: "tunnel" }>;
type Verdict =
  | { readonly kind: "forward"; readonly route: TunnelRoute; readonly mux: Pick<RelayMux, "openStream"> }
  | { readonly kind: "health" }
  | { readonly kind: "refuse"; readonly code: PublicErrorCode };

/** From a request to its tunnel; one log line for each that reached one. */
export function createIngressHandler(config: RelayConfig, deps: IngressDeps): IngressHandler {
  const responseTimeoutMs = config.responseTimeoutMs ?? RESPONSE_TIMEOUT_MS;
  // A relay behind a TLS front is known to the outside by its public URL, whatever its own socket speaks.
  const proto = config.publicUrl?.startsWith("https:") === true ? "https" : "http";
  const bodyOptions = (expectsContinue: boolean) => ({ maxBytes: config.maxBodyBytes ?? 0, expectsContinue });

  return {
    async onRequest(req, res, expectsContinue) {
      const body = new RequestBody(req, bodyOptions(expectsContinue));
      const verdict = judge(req, config, deps);
      if (verdict.kind === "refuse") {
        await sendError(res, body, verdict.code);
        body.release();
      } else if (verdict.kind === "health") {
        await sendHealth(res, body);
      } else {
        const head = toRequestHead(req, verdict.route, { proto, upgrade: false }, deps);
        const { mux } = verdict;
        await logged(head, verdict.route.name, deps, async () =>
          forwardDelivery({ req, res, head, body, mux, expectsContinue, responseTimeoutMs }),
        );
      }
    },

    async onUpgrade(req, socket, firstBytes) {
      const verdict = judge(req, config, deps);
      if (verdict.kind !== "forward") {
        sendErrorToSocket(socket, verdict.kind === "refuse" ? verdict.code : "not-found");
        return;
      }
      const head = toRequestHead(req, verdict.route, { proto, upgrade: true }, deps);
      const { mux } = verdict;
      await logged(head, verdict.route.name, deps, async () =>
        forwardUpgrade({ req, socket, firstBytes, head, mux, responseTimeoutMs }),
      );
    },

    async onBadExpectation(req, res) {
      const body = new RequestBody(req, bodyOptions(true));
      await sendError(res, body, "bad-expectation");
      body.release();
    },
  };
}

function judge(req: IncomingMessage, config: RelayConfig, deps: IngressDeps): Verdict {
  const fault = findRequestFault({ httpVersion: req.httpVersion, headers: req.rawHeaders });
  if (fault !== undefined) {
    return { kind: "refuse", code: fault };
  }
  const target = toOriginForm(req.url ?? "");
  if (target === undefined) {
    return { kind: "refuse", code: "bad-target" };
  }
  const host = getHeader(req.rawHeaders, "host") ?? "";
  if (config.domain !== undefined && namesAnotherHost(req.url ?? "", host)) {
    return { kind: "refuse", code: "bad-host" };
  }
  const route = resolveRoute({ target, host }, config);
  switch (route.kind) {
    case "health":
      return { kind: "health" };
    case "tunnel":
      return judgeTunnel(route, deps);
    case "no-such-tunnel":
    case "not-found":
      return { kind: "refuse", code: route.kind };
  }
}

function judgeTunnel(route: TunnelRoute, deps: IngressDeps): Verdict {
  const tunnel = deps.findTunnel(route.name);
  if (tunnel.kind === "live") {
    return { kind: "forward", route, mux: tunnel.mux };
  }
  return { kind: "refuse", code: tunnel.kind === "offline" ? "agent-offline" : "no-such-tunnel" };
}

function toRequestHead(
  req: IncomingMessage,
  route: TunnelRoute,
  origin: { readonly proto: "http" | "https"; readonly upgrade: boolean },
  deps: IngressDeps,
): RequestHead {
  const peerAddress = req.socket.remoteAddress ?? "unknown";
  return {
    id: deps.nextDeliveryId(),
    receivedAt: deps.now(),
    method: req.method ?? "",
    target: route.target,
    headers: toForwardedHeaders(req.rawHeaders, {
      peerAddress,
      prefix: route.prefix,
      ...origin,
    }),
  };
}

async function logged(
  head: RequestHead,
  tunnel: string,
  deps: IngressDeps,
  forward: () => Promise<DeliveryResult>,
): Promise<void> {
  const { status, outcome } = await forward();
  const durationMs = deps.now() - head.receivedAt;
  deps.log("info", "delivery", { id: head.id, tunnel, method: head.method, status, outcome, durationMs });
}

async function sendHealth(res: ServerResponse, body: RequestBody): Promise<void> {
  const text = `${JSON.stringify({ status: "ok" })}\n`;
  body.stop();
  res.writeHead(200, ["Content-Type", "application/json", "Content-Length", String(text.length)]);
  res.write(text);
  await body.settle();
  res.end();
  body.release();
}
