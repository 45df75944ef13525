import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { startPublicRelay } from "../agent/embedded-relay.ts";
import { answerEachHead, startRawTarget } from "../forward/testing/raw-target.ts";
import { openHistory } from "../history/open-history.ts";
import type { OutputEvent, Renderer } from "../output/renderer.ts";
import type { CommandContext } from "./command.ts";
import { runStart } from "./start-run.ts";
import { startCommand } from "./start.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const opened: { close(): unknown }[] = [];

afterEach(async () => {
  for (const item of opened.splice(0).toReversed()) {
    await item.close();
  }
});

interface Shown {
  readonly events: OutputEvent[];
  readonly notes: string[];
  readonly errors: Error[];
  readonly renderer: Renderer;
  until(type: OutputEvent["type"]): Promise<OutputEvent>;
}

function createShown(): Shown {
  const events: OutputEvent[] = [];
  const notes: string[] = [];
  const errors: Error[] = [];
  const watchers = new Set<() => void>();
  return {
    events,
    notes,
    errors,
    renderer: {
      event(event) {
        events.push(event);
        for (const check of watchers) {
          check();
        }
      },
      headline: () => {},
      note: (line) => {
        notes.push(line);
      },
      list: () => {},
      error: (error) => {
        errors.push(error);
      },
    },
    until: (type) =>
      new Promise((resolve) => {
        function check(): void {
          const found = events.find((event) => event.type === type);
          if (found !== undefined) {
            watchers.delete(check);
            resolve(found);
          }
        }
        watchers.add(check);
        check();
      }),
  };
}

interface Scene {
  readonly shown: Shown;
  readonly context: CommandContext;
  readonly db: string;
  stop(): void;
}

function scene(): Scene {
  const folder = mkdtempSync(path.join(tmpdir(), "tenfold-start-"));
  opened.push({ close: () => rmSync(folder, { recursive: true, force: true }) });
  const shown = createShown();
  const stopping = new AbortController();
  return {
    shown,
    db: path.join(folder, "history.db"),
    stop: () => stopping.abort(),
    context: {
      stdout: process.stdout,
      stderr: process.stderr,
      env: {},
      cwd: folder,
      now: Date.now,
      signal: stopping.signal,
      renderer: shown.renderer,
    },
  };
}

async function answeringTarget(): Promise<number> {
  const target = await startRawTarget(answerEachHead(OK));
  opened.push(target);
  return target.port;
}

describe("tunnel 3000", () => {
  it("opens a URL on this machine, takes deliveries to the target, and ends with 0 at the signal", async () => {
    const { shown, context, db, stop } = scene();
    const port = await answeringTarget();
    const running = runStart(context, [String(port)], { db });
    const ready = await shown.until("tunnel.ready");
    expect(ready).toMatchObject({ target: `http://localhost:${port}` });
    const url = ready.type === "tunnel.ready" ? ready.url : "";
    expect(new URL(url).hostname).toBe("127.0.0.1");
    const answer = await fetch(`${url}/hook`, { method: "GET" });
    expect([answer.status, await answer.text()]).toEqual([200, "ok"]);
    await shown.until("attempt");
    stop();
    expect(await running).toBe(0);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
    expect(shown.events.map(({ type }) => type)).toEqual(["tunnel.ready", "delivery", "attempt"]);
    expect(shown.notes.join("\n")).toContain("reachable from this machine only");
    expect(shown.errors).toEqual([]);
    const history = openHistory({ path: db });
    opened.push(history);
    const [row] = history.list({ limit: 10, folder: context.cwd });
    expect(row).toMatchObject({ path: "/hook", attempts: 1, lastOutcome: "acknowledged" });
  });

  it("with --record-only answers 202 and sends nothing", async () => {
    const { shown, context, db, stop } = scene();
    const target = await startRawTarget();
    opened.push(target);
    const running = runStart(context, [String(target.port)], { db, recordOnly: true });
    const ready = await shown.until("tunnel.ready");
    const url = ready.type === "tunnel.ready" ? ready.url : "";
    const answer = await fetch(url, { method: "POST", body: "{}" });
    expect(answer.status).toBe(202);
    const body = (await answer.json()) as { delivery: string };
    expect(body).toMatchObject({ recorded: true });
    await shown.until("attempt");
    stop();
    expect(await running).toBe(0);
    expect(target.connections.length).toBe(0);
    expect(shown.events).toMatchObject([
      {},
      { type: "delivery", id: body.delivery },
      { outcome: "recorded" },
    ]);
  });

  it("with --relay and a token serves the public URL of that relay, and shows no local note", async () => {
    const relay = await startPublicRelay(
      { host: "127.0.0.1", port: 0, tokens: ["t1"], publicUrl: "https://hooks.example.com" },
      { now: Date.now, log: () => {} },
    );
    opened.push({ close: () => relay.close(0) });
    const { shown, context, db, stop } = scene();
    const port = await answeringTarget();
    const running = runStart(context, [String(port)], { db, name: "shop", relay: relay.url, token: "t1" });
    expect(await shown.until("tunnel.ready")).toMatchObject({
      url: "https://hooks.example.com/t/shop",
      relay: relay.url,
      name: "shop",
    });
    const answer = await fetch(`${relay.url}/t/shop/x`);
    expect(answer.status).toBe(200);
    stop();
    expect(await running).toBe(0);
    expect(shown.notes).toEqual([]);
  });

  it.each([
    ["a bad target", ["abc"], {}, "bad-target", 2],
    ["no target", [undefined], {}, "no-target", 2],
    ["--port beside --relay", ["3000"], { relay: "https://hooks.example.com", port: 1 }, "usage", 2],
    [
      "a token over plain http",
      ["3000"],
      { relay: "http://hooks.example.com", token: "t" },
      "plaintext-token",
      2,
    ],
    ["a secret without a provider", ["3000"], { secret: ["whsec_1"] }, "usage", 2],
    [
      "a relay that is not there",
      ["3000"],
      { relay: "http://127.0.0.1:9", token: "t" },
      "relay-unreachable",
      4,
    ],
  ])("ends with %s by a CliError", async (_title, args, options, code, exitCode) => {
    const { context, db } = scene();
    await expect(runStart(context, args, { db, ...options })).rejects.toMatchObject({ code, exitCode });
  });

  it("ends with 8 when its port is in use", async () => {
    const { context, db } = scene();
    const port = await answeringTarget();
    await expect(runStart(context, ["3000"], { db, port })).rejects.toMatchObject({
      code: "port-in-use",
      exitCode: 8,
    });
  });
});

it("the start command is data whose work is loaded when it runs", async () => {
  expect(startCommand.name).toBe("start");
  expect(await startCommand.load()).toBe(runStart);
});
