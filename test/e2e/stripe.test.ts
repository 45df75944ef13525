import { describe, expect, it } from "vitest";
import { startHandler, STRIPE_SECRET } from "../support/handler.ts";
import { startRawTarget } from "../support/raw-target.ts";
import type { RawRequest } from "../support/raw-target.ts";
import { isAccepted, postEvent, signedEvent } from "../support/stripe-event.ts";
import { createHome } from "../support/temp-home.ts";
import { runTunnel, startTunnel } from "../support/tunnel.ts";
import type { TunnelHome } from "../support/tunnel.ts";

const SIX_MINUTES = 360;

const accepted = (request: RawRequest | undefined) =>
  request !== undefined && isAccepted(request.body, request.header("stripe-signature") ?? "");

describe("a Stripe event", () => {
  it("reaches a handler that verifies with the official library: live, resent, and replayed as new", async () => {
    const home = await createHome({ TENFOLD_SECRET_STRIPE: STRIPE_SECRET });
    const handler = await startHandler(home, "stripe-sqlite-right");
    const tunnel = startTunnel(home, [String(handler.port), "--json"]);
    const url = String((await tunnel.waitForEvent("tunnel.ready"))["url"]);

    const live = await postEvent(url, signedEvent());
    await tunnel.waitForEvent("attempt");
    const resent = await runTunnel(home, ["resend", "--json"]);
    const replayed = await runTunnel(home, ["replay", "--as-new", "--json"]);

    expect(live.status).toBe(200);
    expect(await live.json()).toEqual({ received: true });
    expect((await tunnel.waitForEvent("delivery"))["signature"]).toBe("valid");
    for (const run of [resent, replayed]) {
      expect(run.events.find((event) => event.type === "attempt")).toMatchObject({
        status: 200,
        outcome: "acknowledged",
      });
    }
    expect(handler.charges()).toHaveLength(2);
    expect(await tunnel.stop()).toBe(0);
  });

  it("is replayed as new with another evt_ id and another signature, and with no other byte changed", async () => {
    const home = await createHome({ TENFOLD_SECRET_STRIPE: STRIPE_SECRET });
    const target = await startRawTarget();
    const tunnel = startTunnel(home, [String(target.port), "--json"]);
    const event = signedEvent();
    await postEvent(String((await tunnel.waitForEvent("tunnel.ready"))["url"]), event);
    await tunnel.waitForEvent("attempt");

    await runTunnel(home, ["resend"]);
    const replay = await runTunnel(home, ["replay", "--as-new"]);

    const [live, resent, fresh] = target.requests;
    expect(target.requests).toHaveLength(3);
    expect(live?.body.toString()).toBe(event.body);
    expect(resent).toMatchObject({
      requestLine: live?.requestLine,
      headerLines: live?.headerLines,
      body: live?.body,
    });

    const freshId = /evt_[A-Za-z0-9]+/u.exec(fresh?.body.toString() ?? "")?.[0] ?? "";
    expect(freshId).not.toBe(event.id);
    expect(freshId).toHaveLength(event.id.length);
    expect(fresh?.body.toString().replace(freshId, event.id)).toBe(event.body);
    expect(accepted(fresh)).toBe(true);
    expect(fresh?.headerLines.filter((line) => !/^stripe-signature:/iu.test(line))).toEqual(
      live?.headerLines.filter((line) => !/^stripe-signature:/iu.test(line)),
    );
    expect(replay.stdout + replay.stderr).toContain(`fresh key ${freshId} (was ${event.id})`);
  });

  it("that is six minutes old is signed again when the secret is known: accepted, with the same id", async () => {
    const home = await createHome();
    const target = await startRawTarget();
    const event = await captureOld(home, target.port);

    const result = await runTunnel({ ...home, env: { TENFOLD_SECRET_STRIPE: STRIPE_SECRET } }, [
      "resend",
      "--json",
    ]);

    const [resent] = target.requests;
    expect(result.exitCode).toBe(0);
    expect(resent?.body.toString()).toBe(event.body);
    expect(resent?.header("stripe-signature")).not.toBe(event.signature);
    expect(accepted(resent)).toBe(true);
  });

  it("that is six minutes old is never held against a good handler when the secret is not known", async () => {
    const home = await createHome();
    const handler = await startHandler(home, "stripe-sqlite-right");
    const event = await captureOld(home, handler.port);

    const result = await runTunnel(home, [
      "resend",
      "--times",
      "10",
      "--probe",
      `sqlite:${handler.db}`,
      "--json",
    ]);

    expect(isAccepted(event.body, event.signature)).toBe(false);
    const verdict = result.events.find((line) => line.type === "verdict");
    expect(verdict).toMatchObject({ result: "inconclusive", acknowledged: 0 });
    expect(verdict).toHaveProperty("causes.0.code", "stale-capture");
    expect(result.exitCode).toBe(7);
  });
});

async function captureOld(home: TunnelHome, port: number) {
  const tunnel = startTunnel(home, [String(port), "--record-only", "--json"]);
  const url = String((await tunnel.waitForEvent("tunnel.ready"))["url"]);
  const event = signedEvent({ ageSeconds: SIX_MINUTES });
  await postEvent(url, event);
  await tunnel.waitForEvent("delivery");
  await tunnel.stop();
  return event;
}
