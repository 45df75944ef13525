import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { AGENT_PATH, createWebSocketTransport, LIMITS, SUBPROTOCOL } from "@tenfold/protocol";
import { getHeader, getHeaders } from "@tenfold/providers";
import { WebSocketServer, type WebSocket } from "ws";
import type { RelayConfig } from "../config.ts";
import type { PublicErrorCode } from "../ingress/public-errors.ts";
import { toOriginForm } from "../ingress/request-head.ts";
import { sendErrorToSocket } from "../ingress/send-error.ts";
import { AgentConnection, type AgentDeps } from "./connection.ts";

export interface AgentGateway {
  /** Takes the upgrade when it is an agent's; false: it is somebody else's and was not touched. */
  take(req: IncomingMessage, socket: Duplex, firstBytes: Buffer): boolean;
  /** Takes no more agents and tells the connected ones to go elsewhere. */
  drain(reason: string): void;
  /** Ends all links and resolves when they are gone. */
  close(reason: string): Promise<void>;
}

/** The agents' door: WebSocket upgrades at `AGENT_PATH`. */
export function createAgentGateway(config: RelayConfig, deps: AgentDeps): AgentGateway {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: LIMITS.MAX_MESSAGE_BYTES,
    handleProtocols: () => SUBPROTOCOL,
  });
  const connections = new Set<AgentConnection>();
  let isDraining = false;

  const connect = (socket: WebSocket): void => {
    const connection = new AgentConnection(createWebSocketTransport(socket), config, deps);
    connections.add(connection);
    void connection.ended.then(() => connections.delete(connection));
  };

  return {
    take(req, socket, firstBytes) {
      if (!isAgentUpgrade(req)) {
        return false;
      }
      const fault = isDraining ? "shutting-down" : findAgentFault(req);
      if (fault === undefined) {
        server.handleUpgrade(req, socket, firstBytes, connect);
      } else {
        sendErrorToSocket(socket, fault);
      }
      return true;
    },
    drain(reason) {
      isDraining = true;
      for (const connection of connections) {
        connection.drain(reason);
      }
    },
    async close(reason) {
      isDraining = true;
      const ended = [...connections].map(async (connection) => {
        connection.close(reason);
        await connection.ended;
      });
      await Promise.all(ended);
    },
  };
}

function isAgentUpgrade(req: IncomingMessage): boolean {
  const path = toOriginForm(req.url ?? "")?.split("?")[0];
  return path === AGENT_PATH && (getHeader(req.rawHeaders, "upgrade") ?? "").toLowerCase() === "websocket";
}

function findAgentFault(req: IncomingMessage): PublicErrorCode | undefined {
  // Only browsers send it. Without this any web page could become the agent of a relay on the visitor's loopback.
  if (getHeader(req.rawHeaders, "origin") !== undefined) {
    return "agent-origin";
  }
  const offered = getHeaders(req.rawHeaders, "sec-websocket-protocol").flatMap((value) => value.split(","));
  return offered.some((name) => name.trim() === SUBPROTOCOL) ? undefined : "agent-subprotocol";
}
