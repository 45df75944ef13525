import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { startRawTarget } from "../support/raw-target.ts";
import { createHome } from "../support/temp-home.ts";
import {
  LINK_TOKEN,
  deliver,
  deliverUntilTaken,
  shopLink,
  startAgent,
  startRelay,
} from "../support/tunnel-link.ts";
import { runTunnel, startTunnel } from "../support/tunnel.ts";

const OTHER_TOKEN = "other-token-0123456789abcdef";

/** A handler that takes its time: `answer` lets it finish. */
async function startSlowHandler() {
  let release: (() => void) | undefined;
  let seen: (() => void) | undefined;
  const arrived = new Promise<void>((resolve) => (seen = resolve));
  const server = createServer((_request, response) => {
    seen?.();
    release = () => response.end("done");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, arrived, answer: () => release?.() };
}

describe("two laptops with one token and one name", () => {
  it("gives the tunnel to the newer; the older ends with exit code 4 and says what to do", async () => {
    const { url } = await startRelay(await createHome());
    const older = await startAgent(await createHome(), url);
    const newer = await startAgent(await createHome(), url);

    expect(await older.agent.exited).toBe(4);
    expect(older.agent.events.at(-1)).toMatchObject({
      type: "error",
      code: "replaced",
      hint: expect.stringContaining("--name") as string,
    });
    expect(await deliver(`${url}/t/shop/hook`, "for the newer")).toBe(200);
    expect(newer.target.requests).toHaveLength(1);
    expect(older.target.requests).toHaveLength(0);
    expect(newer.agent.hasExited).toBe(false);
  });

  it("says the same to people, on stderr", async () => {
    const { url } = await startRelay(await createHome());
    const target = await startRawTarget();
    const older = startTunnel(await createHome(), [
      String(target.port),
      "--relay",
      url,
      "--token",
      LINK_TOKEN,
      "--name",
      "shop",
    ]);
    await older.waitFor("its URL", ({ stdout }) => (stdout.includes("/t/shop") ? true : undefined));
    await startAgent(await createHome(), url);

    expect(await older.exited).toBe(4);
    expect(older.stderr).toMatch(/took over the tunnel shop/u);
    expect(older.stderr).toMatch(/--name/u);
  });
});

describe("a relay that refuses", () => {
  it("says that a name belongs to another token, with exit code 4, and the owner keeps it", async () => {
    const home = await createHome();
    const relay = startTunnel(home, [
      "relay",
      "--port",
      "0",
      "--token",
      LINK_TOKEN,
      "--token",
      OTHER_TOKEN,
      "--json",
    ]);
    const url = String((await relay.waitForEvent("relay.ready"))["url"]);
    const { agent } = await startAgent(await createHome(), url);

    const other = await runTunnel(await createHome(), ["3000", ...shopLink(url, OTHER_TOKEN)]);

    expect(other.exitCode).toBe(4);
    expect(other.events.at(-1)).toMatchObject({
      type: "error",
      code: "relay-refused",
      message: expect.stringContaining("shop") as string,
      hint: expect.stringMatching(/--name/u) as string,
    });
    expect(await deliver(`${url}/t/shop/hook`, "for the owner")).toBe(200);
    expect(agent.hasExited).toBe(false);
  });

  it("says that it does not know the token, with exit code 4, without the token in any output", async () => {
    const { relay, url } = await startRelay(await createHome());
    const result = await runTunnel(await createHome(), ["3000", ...shopLink(url, OTHER_TOKEN)]);
    expect(result.exitCode).toBe(4);
    expect(result.events.at(-1)).toMatchObject({ type: "error", code: "relay-refused" });
    expect(result.stdout + result.stderr + relay.stdout + relay.stderr).not.toContain(OTHER_TOKEN);
  });
});

describe("a relay that gets SIGTERM", () => {
  it("lets the delivery under way be answered, takes no new one, and ends with exit code 0", async () => {
    const home = await createHome();
    const { relay, url, port } = await startRelay(home);
    const handler = await startSlowHandler();
    const agent = startTunnel(home, [String(handler.port), ...shopLink(url)]);
    await agent.waitForEvent("tunnel.ready");
    const underWay = deliver(`${url}/t/shop/hook`, "under way");
    await handler.arrived;

    relay.child.kill("SIGTERM");
    await agent.waitForEvent("tunnel.down");
    // The port is closed to new callers while the old one still waits.
    expect(await deliver(`${url}/t/shop/hook`, "too late")).toBe(0);
    handler.answer();

    expect(await underWay).toBe(200);
    expect(await relay.exited).toBe(0);
    expect(await agent.waitForEvent("attempt")).toMatchObject({ outcome: "acknowledged", status: 200 });

    await startRelay(home, port);
    await agent.waitForEvent("tunnel.ready", 2);
    const again = deliverUntilTaken(`${url}/t/shop/hook`, "after the restart", 10_000);
    const answering = setInterval(() => handler.answer(), 50);
    await again.finally(() => clearInterval(answering));
  });

  it("does not wait longer than its grace for a handler that never answers", async () => {
    const home = await createHome();
    const { relay, url } = await startRelay(home);
    const handler = await startSlowHandler();
    const agent = startTunnel(home, [String(handler.port), ...shopLink(url)]);
    await agent.waitForEvent("tunnel.ready");
    const underWay = deliver(`${url}/t/shop/hook`, "under way");
    await handler.arrived;
    const startedAt = Date.now();
    relay.child.kill("SIGTERM");
    expect(await relay.exited).toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(8_000);
    expect([0, 502]).toContain(await underWay);
  });
});
