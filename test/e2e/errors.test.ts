import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Database } from "../../examples/sqlite.mjs";
import { execa } from "execa";
import { describe, expect, it, onTestFinished } from "vitest";
import { startRawTarget } from "../support/raw-target.ts";
import { postEvent, signedEvent } from "../support/stripe-event.ts";
import { createHome } from "../support/temp-home.ts";
import { bin, environment, runTunnel, startTunnel } from "../support/tunnel.ts";
import type { TunnelResult } from "../support/tunnel.ts";

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

/** A user meets one message and a hint, never a stack trace or a dump of the whole help. */
function expectClearError(result: TunnelResult, exitCode: number, about: RegExp): void {
  const said = result.stdout + result.stderr;
  expect(result.exitCode, said).toBe(exitCode);
  expect(said).toMatch(about);
  expect(said).not.toMatch(/^\s+at .*:\d+/mu);
  expect(said).not.toMatch(/SqliteError|ECONN|\bundefined\b|\[object/u);
}

describe("exit codes and messages", () => {
  it("3 and one clear line when the handler is down", async () => {
    const home = await createHome();
    const port = await freePort();
    const tunnel = startTunnel(home, [String(port), "--record-only", "--json"]);
    await postEvent(String((await tunnel.waitForEvent("tunnel.ready"))["url"]), signedEvent());
    await tunnel.waitForEvent("delivery");
    await tunnel.stop();

    const json = await runTunnel(home, ["replay", "--times", "10", "--json"]);
    const plain = await runTunnel(home, ["replay", "--times", "10"]);

    expect(json.events.at(-1)).toMatchObject({ type: "error", code: "target-unreachable" });
    expectClearError(plain, 3, new RegExp(`127\\.0\\.0\\.1:${port}`, "u"));
    expect(
      plain.stderr
        .trim()
        .split("\n")
        .filter((line) => line.includes(String(port))),
    ).toHaveLength(1);
  });

  it("5 for an unknown delivery, also in an empty history", async () => {
    const home = await createHome();
    expectClearError(await runTunnel(home, ["replay", "evt_nobody"]), 5, /evt_nobody/u);
    expectClearError(await runTunnel(home, ["show"]), 5, /tunnel /u);
  });

  it("2 with the usage of that command only for a bad flag", async () => {
    const home = await createHome();
    const result = await runTunnel(home, ["replay", "--tmies", "3"]);
    expectClearError(result, 2, /--tmies/u);
    expect(result.stderr).toMatch(/usage: tunnel replay/iu);
    expect(result.stderr).not.toMatch(/tunnel (relay|list|start)\b/u);
    const json = await runTunnel(home, ["replay", "--tmies", "--json"]);
    expect(json.events.at(-1)).toMatchObject({ type: "error", code: "usage" });
  });

  it.each(["0", "65536", "abc", "::1:3000", "-1", "3000x"])("2 for the target %s", async (target) => {
    expectClearError(await runTunnel(await createHome(), [target]), 2, new RegExp(target, "u"));
  });

  it.each(["0", "-3", "ten", "1.5", ""])("2 for --times %j", async (times) => {
    expectClearError(await runTunnel(await createHome(), ["replay", "--times", times]), 2, /--times/u);
  });

  it("4 when the token is wrong, with the relay's reason and a hint", async () => {
    const home = await createHome();
    const relay = startTunnel(home, ["relay", "--port", "0", "--token", "right-token-0123456789", "--json"]);
    const url = String((await relay.waitForEvent("relay.ready"))["url"]);

    const result = await runTunnel(home, ["3000", "--relay", url, "--token", "wrong-token"]);

    expectClearError(result, 4, /token/iu);
    expect(result.stdout + result.stderr).not.toContain("wrong-token");
    expect(relay.stdout + relay.stderr).not.toContain("wrong-token");
    expect(await relay.stop()).toBe(0);
  });

  it("4 when no relay is there", async () => {
    const port = await freePort();
    expectClearError(
      await runTunnel(await createHome(), ["3000", "--relay", `http://127.0.0.1:${port}`, "--token", "t"]),
      4,
      /relay/iu,
    );
  });

  it("2 when a token would cross the network in the clear", async () => {
    const result = await runTunnel(await createHome(), [
      "3000",
      "--relay",
      "http://relay.example",
      "--token",
      "secret-token-1",
    ]);
    expectClearError(result, 2, /https/u);
  });

  it.skipIf(!existsSync("/dev/full"))(
    "8 when stdout can't be written, whatever the command was about to say",
    async () => {
      const home = await createHome();
      const target = await startRawTarget();
      const tunnel = startTunnel(home, [String(target.port), "--json"]);
      await postEvent(String((await tunnel.waitForEvent("tunnel.ready"))["url"]), signedEvent());
      await tunnel.waitForEvent("attempt");
      await tunnel.stop();
      for (const command of ["show", "replay --times 2"]) {
        const shell = await execa("sh", ["-c", `"$0" "$1" ${command} > /dev/full`, process.execPath, bin], {
          cwd: home.cwd,
          env: environment(home),
          extendEnv: false,
          reject: false,
        });
        expect(shell.exitCode, shell.stderr).toBe(8);
        expect(shell.stderr).toContain("stdout could not be written");
      }
    },
  );

  it("8 when the relay's port is busy", async () => {
    const busy = await startRawTarget();
    expectClearError(
      await runTunnel(await createHome(), ["relay", "--port", String(busy.port)]),
      8,
      new RegExp(String(busy.port), "u"),
    );
  });
});

describe("a history that cannot be used", () => {
  const commands = [["3000"], ["list"], ["replay"]] as const;

  it.each(commands)("ends `tunnel %s` with exit 8 when it is a folder", async (...args) => {
    const home = await createHome();
    await mkdir(home.db);
    expectClearError(await runTunnel(home, args), 8, /history\.db/u);
  });

  it.each(commands)("ends `tunnel %s` with exit 8 when its folder can't be made", async (...args) => {
    const home = await createHome();
    await writeFile(path.join(home.cwd, "file"), "");
    expectClearError(
      await runTunnel({ ...home, db: path.join(home.cwd, "file", "history.db") }, args),
      8,
      /history\.db|file/u,
    );
  });

  it.each(commands)(
    "ends `tunnel %s` with exit 8 when it is corrupt, and leaves it as it is",
    async (...args) => {
      const home = await createHome();
      const garbage = Buffer.alloc(8192, "SQLite format 3\0 but only at first sight");
      await writeFile(home.db, garbage);
      expectClearError(await runTunnel(home, args), 8, /history\.db/u);
      expect(await readFile(home.db)).toEqual(garbage);
    },
  );

  it.each(commands)(
    "ends `tunnel %s` with exit 8 when a newer version wrote it, and leaves it as it is",
    async (...args) => {
      const home = await createHome();
      expect((await runTunnel(home, ["list"])).exitCode).toBe(0);
      const database = new Database(home.db);
      database.pragma("user_version = 9999");
      database.pragma("wal_checkpoint(TRUNCATE)");
      database.close();
      const before = await readFile(home.db);
      expectClearError(await runTunnel(home, args), 8, /newer/u);
      expect(await readFile(home.db)).toEqual(before);
    },
  );

  it.each(commands)("ends `tunnel %s` with exit 8 when it belongs to another program", async (...args) => {
    const home = await createHome();
    const database = new Database(home.db);
    database.exec("CREATE TABLE songs (title TEXT)");
    database.close();
    const before = await readFile(home.db);
    expectClearError(await runTunnel(home, args), 8, /history\.db/u);
    expect(await readFile(home.db)).toEqual(before);
  });

  it.each(commands)(
    "ends `tunnel %s` with exit 8 when it is a pipe, and does not wait for a writer",
    async (...args) => {
      const home = await createHome();
      await execa("mkfifo", [home.db]);
      expectClearError(await runTunnel(home, args), 8, /history\.db/u);
    },
  );

  it("waits for a short lock of another process, and loses nothing", async () => {
    const home = await createHome();
    const target = await startRawTarget();
    const tunnel = startTunnel(home, [String(target.port), "--json"]);
    const url = String((await tunnel.waitForEvent("tunnel.ready"))["url"]);
    const database = new Database(home.db);
    onTestFinished(() => {
      database.close();
    });
    database.exec("BEGIN IMMEDIATE");

    const answer = await postEvent(url, signedEvent());

    expect(answer.status).toBe(200);
    database.exec("COMMIT");
    await tunnel.waitForEvent("attempt");
    expect(await tunnel.stop()).toBe(0);
    expect((await runTunnel(home, ["list", "--json"])).events).toHaveLength(1);
  });
});
