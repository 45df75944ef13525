import { statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { startRawTarget } from "../support/raw-target.ts";
import { postEvent, signedEvent } from "../support/stripe-event.ts";
import { createHome } from "../support/temp-home.ts";
import { runTunnel, startTunnel } from "../support/tunnel.ts";
import type { TunnelHome } from "../support/tunnel.ts";

const TOKEN = "relay-token-0123456789abcdef";

async function startRelay(home: TunnelHome) {
  const relay = startTunnel(home, ["relay", "--port", "0", "--token", TOKEN, "--json"]);
  return { relay, url: String((await relay.waitForEvent("relay.ready"))["url"]) };
}

describe("a relay of one's own", () => {
  it("serves a named tunnel at /t/<name>, and the agent gets the path without that prefix", async () => {
    const home = await createHome();
    const { relay, url } = await startRelay(home);
    const target = await startRawTarget();
    const tunnel = startTunnel(home, [
      String(target.port),
      "--relay",
      url,
      "--token",
      TOKEN,
      "--name",
      "shop",
      "--json",
    ]);
    const ready = await tunnel.waitForEvent("tunnel.ready");

    const answer = await fetch(`${url}/t/shop//a/../b/%2F?x=%20+&x=1`, { method: "POST", body: "hello" });

    expect(ready).toMatchObject({ url: `${url}/t/shop`, name: "shop", relay: url });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe("ok");
    expect(target.requests[0]?.header("X-Forwarded-Prefix")).toBe("/t/shop");
    expect(target.requests[0]?.body.toString()).toBe("hello");
    expect(await tunnel.stop()).toBe(0);
    expect(await relay.stop()).toBe(0);
  });

  it("says in JSON where it failed: no such tunnel, agent offline, target down", async () => {
    const home = await createHome();
    const { url } = await startRelay(home);
    const target = await startRawTarget();
    const tunnel = startTunnel(home, [
      String(target.port),
      "--relay",
      url,
      "--token",
      TOKEN,
      "--name",
      "shop",
      "--json",
    ]);
    await tunnel.waitForEvent("tunnel.ready");

    const unknown = await fetch(`${url}/t/nobody/hook`, { method: "POST", body: "x" });
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({
      error: { code: expect.any(String), message: expect.any(String) },
    });

    await tunnel.stop();
    const offline = await fetch(`${url}/t/shop/hook`, { method: "POST", body: "x" });
    expect(offline.status).toBe(503);
    expect(offline.headers.get("retry-after")).toMatch(/^\d+$/u);

    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it("answers 502 for a target that is down, and the attempt is recorded as refused", async () => {
    const home = await createHome();
    const { url } = await startRelay(home);
    const tunnel = startTunnel(home, ["1", "--relay", url, "--token", TOKEN, "--name", "shop", "--json"]);
    await tunnel.waitForEvent("tunnel.ready");

    const answer = await postEvent(`${url}/t/shop`, signedEvent());

    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({ error: { code: "target-refused" } });
    expect(await tunnel.waitForEvent("attempt")).toMatchObject({ outcome: "refused", status: null });
  });

  it("comes back after a restart of the relay without a restart of the agent", async () => {
    const home = await createHome();
    const { relay, url } = await startRelay(home);
    const target = await startRawTarget();
    const tunnel = startTunnel(home, [
      String(target.port),
      "--relay",
      url,
      "--token",
      TOKEN,
      "--name",
      "shop",
      "--json",
    ]);
    await tunnel.waitForEvent("tunnel.ready");

    await relay.stop("SIGKILL");
    await tunnel.waitForEvent("tunnel.down");
    const again = startTunnel(home, ["relay", "--port", new URL(url).port, "--token", TOKEN, "--json"]);
    await again.waitForEvent("relay.ready");
    await tunnel.waitForEvent("tunnel.ready", 2);

    expect((await postEvent(`${url}/t/shop`, signedEvent())).status).toBe(200);
  });
});

describe("a tunnel without a relay", () => {
  it("says plainly that its URL is for this machine only, and what to do for a public one", async () => {
    const home = await createHome();
    const tunnel = startTunnel(home, ["3000"]);
    const output = await tunnel.waitFor("both lines of the note", ({ stdout, stderr }) =>
      /--relay[^\n]*\n/u.test(stderr) ? stdout + stderr : undefined,
    );
    expect(output).toMatch(/http:\/\/127\.0\.0\.1:\d+/u);
    expect(output).toContain("reachable from this machine only");
    expect(await tunnel.stop("SIGINT")).toBe(0);
  });

  it("records what comes in, in a file that only its owner may read", async () => {
    const home = await createHome();
    const target = await startRawTarget();
    const tunnel = startTunnel(home, [String(target.port), "--json"]);
    const url = String((await tunnel.waitForEvent("tunnel.ready"))["url"]);
    const event = signedEvent();
    await postEvent(url, event);
    await postEvent(url, event, "/second");
    await tunnel.waitForEvent("attempt", 2);
    for (const suffix of ["", "-wal", "-shm"]) expect(statSync(home.db + suffix).mode & 0o777).toBe(0o600);
    await tunnel.stop();

    const list = await runTunnel(home, ["list", "--json"]);
    const shown = await runTunnel(home, ["show", event.id, "--raw"]);

    expect(list.events).toHaveLength(2);
    expect(list.events[0]).toMatchObject({
      type: "delivery",
      key: event.id,
      provider: "stripe",
      event: "invoice.paid",
      path: "/second",
    });
    expect(shown.stdout).toBe(event.body);
  });
});
