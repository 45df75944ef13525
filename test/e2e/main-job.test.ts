import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { describe, expect, it } from "vitest";
import { startHandler } from "../support/handler.ts";
import type { Handler } from "../support/handler.ts";
import { postEvent, signedEvent } from "../support/stripe-event.ts";
import { startRawTarget } from "../support/raw-target.ts";
import { createHome } from "../support/temp-home.ts";
import { runTunnel, startTunnel } from "../support/tunnel.ts";
import type { TunnelHome, TunnelResult } from "../support/tunnel.ts";

/** Captures one signed event that was meant for the target, without forwarding it. */
async function capture(home: TunnelHome, port: number): Promise<string> {
  const tunnel = startTunnel(home, [String(port), "--record-only", "--json"]);
  const ready = await tunnel.waitForEvent("tunnel.ready");
  const event = signedEvent();
  const answer = await postEvent(String(ready["url"]), event);
  expect(answer.status).toBe(202);
  const delivery = await tunnel.waitForEvent("delivery");
  expect(await tunnel.stop()).toBe(0);
  return String(delivery["id"]);
}

async function captureFor(name: string): Promise<{ home: TunnelHome; handler: Handler; id: string }> {
  const home = await createHome();
  const handler = await startHandler(home, name);
  return { home, handler, id: await capture(home, handler.port) };
}

function verdictOf(result: TunnelResult) {
  const verdict = result.events.find((event) => event.type === "verdict");
  expect(verdict, result.stdout + result.stderr).toBeDefined();
  return verdict as unknown as {
    result: string;
    attempts: number;
    acknowledged: number;
    effects: { first: number; rest: number; total: number } | null;
    causes: { code: string; message: string }[];
  };
}

const effectsOf = (result: TunnelResult) =>
  result.events
    .filter((event) => event.type === "attempt")
    .map((event) => (event["effects"] as { total: number } | null)?.total ?? null);

describe("resending a delivery ten times", () => {
  it("finds a handler good that writes once and acknowledges all ten", async () => {
    const { home, handler } = await captureFor("stripe-sqlite-right");

    const result = await runTunnel(home, [
      "replay",
      "last",
      "--times",
      "10",
      "--probe",
      `sqlite:${handler.db}`,
      "--json",
    ]);

    expect(verdictOf(result)).toMatchObject({
      result: "good",
      attempts: 10,
      acknowledged: 10,
      effects: { first: 1, rest: 0, total: 1 },
    });
    expect(effectsOf(result)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(result.exitCode).toBe(0);
    expect(handler.charges()).toEqual(["in_0001"]);
  });

  it("finds a handler bad that writes every time, and names the missing key check", async () => {
    const { home, handler } = await captureFor("stripe-sqlite-naive");

    const result = await runTunnel(home, [
      "replay",
      "last",
      "--times",
      "10",
      "--probe",
      `sqlite:${handler.db}`,
      "--json",
    ]);

    const verdict = verdictOf(result);
    expect(verdict).toMatchObject({
      result: "bad",
      attempts: 10,
      acknowledged: 10,
      effects: { first: 1, rest: 9, total: 10 },
    });
    expect(verdict.causes[0]?.code).toBe("no-key-check");
    expect(result.exitCode).toBe(1);
    expect(handler.charges()).toHaveLength(10);
  });

  it("is inconclusive for a handler that does nothing at all", async () => {
    const home = await createHome();
    const target = await startRawTarget();
    await capture(home, target.port);
    const { db } = await startHandler(home, "stripe-sqlite-right");

    const result = await runTunnel(home, ["replay", "--times", "10", "--probe", `sqlite:${db}`, "--json"]);

    expect(verdictOf(result)).toMatchObject({
      result: "inconclusive",
      attempts: 10,
      acknowledged: 10,
      effects: { total: 0 },
    });
    expect(result.exitCode).toBe(7);
    expect(target.requests).toHaveLength(10);
  });

  it("is inconclusive when the probe watches another database than the handler's", async () => {
    const { home } = await captureFor("stripe-sqlite-right");
    const other = await startHandler(home, "stripe-sqlite-naive");

    const result = await runTunnel(home, [
      "replay",
      "--times",
      "10",
      "--probe",
      `sqlite:${other.db}`,
      "--json",
    ]);

    expect(verdictOf(result)).toMatchObject({ result: "inconclusive", effects: { total: 0 } });
    expect(result.exitCode).toBe(7);
  });

  it("speaks of acknowledgement only without a probe, and says so", async () => {
    const { home } = await captureFor("stripe-sqlite-naive");

    const json = await runTunnel(home, ["replay", "--times", "3", "--json"]);
    const plain = await runTunnel(home, ["replay", "--times", "3"]);

    expect(verdictOf(json)).toMatchObject({ attempts: 3, acknowledged: 3, effects: null });
    expect(verdictOf(json).result).not.toBe("good");
    expect(json.exitCode).toBe(0);
    expect(plain.exitCode).toBe(0);
    expect(plain.stdout).toMatch(/acknowledge/iu);
    expect(plain.stdout + plain.stderr).toContain("--probe");
  });

  it("does not call a second run good, since a handler that does nothing would look the same, and says what would tell", async () => {
    const { home, handler } = await captureFor("stripe-sqlite-right");
    const replay = ["replay", "last", "--times", "10", "--probe", `sqlite:${handler.db}`, "--json"];
    await runTunnel(home, replay);

    const second = await runTunnel(home, replay);

    expect(verdictOf(second)).toMatchObject({
      result: "inconclusive",
      acknowledged: 10,
      effects: { total: 0 },
    });
    expect(verdictOf(second).causes[0]?.code).toBe("already-processed");
    expect(verdictOf(second).causes[0]?.message).toContain("--as-new");
    expect(second.exitCode).toBe(7);
  });

  it("gives the replay as new a fresh key, so that the handler writes once more", async () => {
    const { home, handler, id } = await captureFor("stripe-sqlite-right");
    const probe = ["--probe", `sqlite:${handler.db}`, "--json"];
    await runTunnel(home, ["resend", "last", "--times", "10", ...probe]);

    const unset = await runTunnel(home, [
      "replay",
      "--as-new",
      "--times",
      "10",
      "--secret",
      "stripe=env:WHSEC",
      ...probe,
    ]);

    expect(unset.exitCode).toBe(2);
    const withSecret = await runTunnel({ ...home, env: { WHSEC: "whsec_test_dGVuZm9sZCBlbmQgdG8gZW5k" } }, [
      "replay",
      "--as-new",
      "--times",
      "10",
      "--secret",
      "stripe=env:WHSEC",
      ...probe,
    ]);
    expect(verdictOf(withSecret)).toMatchObject({
      result: "good",
      acknowledged: 10,
      effects: { first: 1, rest: 0 },
    });
    expect(withSecret.events.find((event) => event.type === "delivery")).toMatchObject({
      replayOf: id,
      keySource: "provider",
    });
    expect(handler.charges()).toHaveLength(2);
  });
});

describe("what a run says of the database", () => {
  it("ends with exit 6 when the probed file does not exist, and does not make it", async () => {
    const { home } = await captureFor("stripe-sqlite-right");

    const result = await runTunnel(home, [
      "replay",
      "--times",
      "2",
      "--probe",
      "sqlite:missing.db",
      "--json",
    ]);

    expect(result.exitCode).toBe(6);
    expect(result.events.at(-1)).toMatchObject({ type: "error", code: "probe-failed" });
    expect(existsSync(path.join(home.cwd, "missing.db"))).toBe(false);
  });

  it.each(["folder", "pipe"])("ends with exit 6 when the probed file is a %s", async (kind) => {
    const { home } = await captureFor("stripe-sqlite-right");
    await execa(kind === "pipe" ? "mkfifo" : "mkdir", [path.join(home.cwd, kind)]);

    const result = await runTunnel(home, ["replay", "--probe", `sqlite:${kind}`]);

    expect(result.exitCode).toBe(6);
    expect(result.stderr).toContain("not a regular file");
  });

  it("ends with exit 6 when the probed file is no database", async () => {
    const { home } = await captureFor("stripe-sqlite-right");
    await writeFile(
      path.join(home.cwd, "notes.txt"),
      "not a database, only notes, but long enough to have a header".repeat(20),
    );

    const result = await runTunnel(home, ["replay", "--probe", "sqlite:notes.txt"]);

    expect(result.exitCode).toBe(6);
    expect(result.stderr).toContain("notes.txt");
    expect(result.stderr).not.toMatch(/^\s+at /mu);
  });
});
