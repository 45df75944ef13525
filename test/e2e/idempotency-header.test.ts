import { describe, expect, it } from "vitest";
import { startRawTarget } from "../support/raw-target.ts";
import { createHome } from "../support/temp-home.ts";
import { runTunnel, startTunnel } from "../support/tunnel.ts";
import type { TunnelHome } from "../support/tunnel.ts";

/** One webhook without any key goes live through a tunnel with these flags. */
async function deliverOnce(
  home: TunnelHome,
  port: number,
  flags: readonly string[],
  headers: Record<string, string> = {},
) {
  const tunnel = startTunnel(home, [String(port), "--json", ...flags]);
  const url = String((await tunnel.waitForEvent("tunnel.ready"))["url"]);
  await fetch(new URL("/hook", url), {
    method: "POST",
    headers: { "X-Odd-CASE": "1", ...headers },
    body: '{ "sum": 12 }',
  });
  await tunnel.waitForEvent("attempt");
  const delivery = await tunnel.waitForEvent("delivery");
  expect(await tunnel.stop()).toBe(0);
  return delivery;
}

describe("the idempotency header", () => {
  it("is off by default: the handler sees the sender's bytes and headers, and nothing but the forwarding headers is added", async () => {
    const home = await createHome();
    const target = await startRawTarget();

    const delivery = await deliverOnce(home, target.port, []);
    await runTunnel(home, ["resend", "--times", "2"]);

    expect(delivery).toMatchObject({ key: null, keySource: "none" });
    expect(target.requests).toHaveLength(3);
    for (const request of target.requests) {
      expect(request.body.toString()).toBe('{ "sum": 12 }');
      const added = request.headerLines.map((line) => line.slice(0, line.indexOf(":")));
      expect(added.filter((name) => /idempotency|tenfold/iu.test(name))).toEqual([]);
      expect(added.filter((name) => /^x-forwarded-/iu.test(name))).toEqual([
        "X-Forwarded-For",
        "X-Forwarded-Proto",
        "X-Forwarded-Host",
      ]);
    }
  });

  it("carries one value on ten resends, and another on a replay as new", async () => {
    const home = await createHome();
    const target = await startRawTarget();

    const delivery = await deliverOnce(home, target.port, ["--idempotency-header"]);
    await runTunnel(home, ["resend", "--times", "10"]);
    await runTunnel(home, ["replay", "--as-new", "--times", "2"]);

    const keys = target.requests.map((request) => request.header("X-Idempotency-Key"));
    expect(keys).toHaveLength(13);
    expect(delivery).toMatchObject({ keySource: "minted", key: keys[0] });
    expect(new Set(keys.slice(0, 11)).size).toBe(1);
    expect(new Set(keys.slice(11)).size).toBe(1);
    expect(keys[11]).not.toBe(keys[0]);
  });

  it("takes the name that it is given, and keeps a header of that name from the sender until a replay as new", async () => {
    const home = await createHome();
    const target = await startRawTarget();

    await deliverOnce(home, target.port, ["--idempotency-header", "My-Key"], { "my-key": "sender-1" });
    await runTunnel(home, ["resend"]);
    await runTunnel(home, ["replay", "--as-new"]);

    const keys = target.requests.map((request) =>
      request.headerLines.filter((line) => /^my-key:/iu.test(line)),
    );
    expect(keys[0]).toEqual(["my-key: sender-1"]);
    expect(keys[1]).toEqual(["my-key: sender-1"]);
    expect(keys[2]).toHaveLength(1);
    expect(keys[2]).not.toEqual(["my-key: sender-1"]);
  });

  it("is the only way to replay as new a webhook that has no key: without it the command refuses and sends nothing", async () => {
    const home = await createHome();
    const target = await startRawTarget();
    await deliverOnce(home, target.port, []);

    const result = await runTunnel(home, ["replay", "--as-new", "--json"]);

    expect(result.exitCode).toBe(2);
    expect(result.events.at(-1)).toMatchObject({ type: "error", code: "rekey-impossible" });
    expect(target.requests).toHaveLength(1);
  });
});
