import { expect } from "vitest";
import { startRawTarget } from "./raw-target.ts";
import type { RawTarget } from "./raw-target.ts";
import { startTunnel } from "./tunnel.ts";
import type { TunnelHome, TunnelProcess } from "./tunnel.ts";

export const LINK_TOKEN = "link-token-0123456789abcdef";

/** The options of an agent that serves `shop`. */
export function shopLink(relayUrl: string, token: string = LINK_TOKEN): string[] {
  return ["--relay", relayUrl, "--token", token, "--name", "shop", "--json"];
}

/** A relay as a process of its own. `port` 0: a free one. */
export async function startRelay(
  home: TunnelHome,
  port: number | string = 0,
): Promise<{ readonly relay: TunnelProcess; readonly url: string; readonly port: string }> {
  const relay = startTunnel(home, ["relay", "--port", String(port), "--token", LINK_TOKEN, "--json"]);
  const url = String((await relay.waitForEvent("relay.ready"))["url"]);
  return { relay, url, port: new URL(url).port };
}

/** An agent that serves `shop` for a relay, up to its first `tunnel.ready`. */
export async function startAgent(
  home: TunnelHome,
  relayUrl: string,
): Promise<{ readonly agent: TunnelProcess; readonly target: RawTarget }> {
  const target = await startRawTarget();
  const agent = startTunnel(home, [String(target.port), ...shopLink(relayUrl)]);
  await agent.waitForEvent("tunnel.ready");
  return { agent, target };
}

/** Sends one delivery; its status, or 0 when no answer came within `timeoutMs`. */
export async function deliver(publicUrl: string, body: string, timeoutMs = 30_000): Promise<number> {
  try {
    const answer = await fetch(publicUrl, { method: "POST", body, signal: AbortSignal.timeout(timeoutMs) });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}

/** Delivers again and again until the handler answers. Returns the time that took, in ms; fails after `withinMs`. */
export async function deliverUntilTaken(publicUrl: string, body: string, withinMs: number): Promise<number> {
  const startedAt = Date.now();
  const statuses: number[] = [];
  while (Date.now() - startedAt < withinMs) {
    const left = withinMs - (Date.now() - startedAt);
    const status = await deliver(publicUrl, body, left);
    if (status === 200) return Date.now() - startedAt;
    statuses.push(status);
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
  expect.fail(`nothing was taken in ${withinMs} ms; answers: ${statuses.join(" ")}`);
}
