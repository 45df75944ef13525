import path from "node:path";
import { describe, expect, it } from "vitest";
import { RunningProcess } from "../support/running-process.ts";
import { createHome } from "../support/temp-home.ts";
import { environment, repository, runTunnel, startTunnel } from "../support/tunnel.ts";
import type { TunnelHome } from "../support/tunnel.ts";

async function startSly(home: TunnelHome, kind: string): Promise<string> {
  const script = path.join(repository, "test/support/sly-handler.mjs");
  const handler = new RunningProcess(process.execPath, [script, kind, `${kind}.db`], {
    cwd: home.cwd,
    env: environment(home),
  });
  const port = await handler.waitFor(
    "the handler's port",
    ({ stdout }) => /listening on (\d+)/u.exec(stdout)?.[1],
  );
  return port;
}

async function capture(home: TunnelHome, port: string): Promise<void> {
  const tunnel = startTunnel(home, [port, "--record-only", "--json"]);
  const url = String((await tunnel.waitForEvent("tunnel.ready"))["url"]);
  const answer = await fetch(url, { method: "POST", headers: { "Idempotency-Key": "key-1" }, body: "{}" });
  expect(answer.status).toBe(202);
  expect(await tunnel.stop()).toBe(0);
}

async function judge(home: TunnelHome, kind: string, flags: readonly string[] = []) {
  const run = await runTunnel(home, [
    "replay",
    "--times",
    "3",
    "--probe",
    `sqlite:${kind}.db`,
    "--json",
    ...flags,
  ]);
  const verdict = run.events.find((event) => event.type === "verdict");
  expect(verdict, run.stdout).toBeDefined();
  return { result: verdict?.["result"], causes: verdict?.["causes"], exitCode: run.exitCode };
}

describe("a handler that is not idempotent is never good", () => {
  it.each(["writes-late", "writes-late-aside", "indexes-again", "rewrites-file"])(
    "when it %s",
    async (kind) => {
      const home = await createHome();
      await capture(home, await startSly(home, kind));
      expect(await judge(home, kind)).toMatchObject({ result: "bad", exitCode: 1 });
    },
  );

  it("when it was bad before and does nothing by now", async () => {
    const home = await createHome();
    await capture(home, await startSly(home, "naive"));
    await judge(home, "naive");
    const idle = await startSly(home, "does-nothing");
    const flags = ["--target", `http://127.0.0.1:${idle}`];
    expect(await judge(home, "naive", flags)).toMatchObject({ result: "inconclusive", exitCode: 7 });
  });
});

describe("a handler that is idempotent is never bad", () => {
  it.each(["right-by-upsert", "right-in-steps"])("when it is %s", async (kind) => {
    const home = await createHome();
    await capture(home, await startSly(home, kind));
    expect(await judge(home, kind)).toMatchObject({ result: "good", exitCode: 0 });
  });

  it("when somebody else writes to its database all the time", async () => {
    const home = await createHome();
    await capture(home, await startSly(home, "right-with-clock"));
    expect(await judge(home, "right-with-clock")).toMatchObject({ result: "inconclusive", exitCode: 7 });
  });
});

describe("a run that was not asked for", () => {
  it.each(["--probe", "--target", "--db"])(
    "is refused when %s is empty, as an unset variable makes it",
    async (flag) => {
      const run = await runTunnel(await createHome(), ["replay", flag, ""]);
      expect(run.exitCode).toBe(2);
      expect(run.stderr).toContain(flag);
    },
  );

  it("is refused when the probe is Tenfold's own history, which changes by our own hand", async () => {
    const home = await createHome();
    await capture(home, "3000");
    const run = await runTunnel(home, ["replay", "--probe", `sqlite:${home.db}`]);
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain("own history");
  });
});
