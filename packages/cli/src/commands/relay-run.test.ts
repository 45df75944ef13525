import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { OutputEvent } from "../output/renderer.ts";
import type { CommandContext } from "./command.ts";
import { runRelay } from "./relay-run.ts";
import { relayCommand } from "./relay.ts";

interface Scene {
  readonly context: CommandContext;
  readonly ready: Promise<OutputEvent>;
  readonly notes: string[];
  readonly stderr: PassThrough;
  stop(): void;
}

function scene(env: CommandContext["env"] = {}): Scene {
  const stopping = new AbortController();
  const stderr = new PassThrough();
  const notes: string[] = [];
  let tell: ((event: OutputEvent) => void) | undefined;
  const ready = new Promise<OutputEvent>((resolve) => {
    tell = resolve;
  });
  return {
    ready,
    notes,
    stderr,
    stop: () => stopping.abort(),
    context: {
      stdout: new PassThrough(),
      stderr,
      env,
      cwd: "/",
      now: () => 1_764_500_000_000,
      signal: stopping.signal,
      renderer: {
        event: (event) => tell?.(event),
        headline: () => {},
        note: (line) => {
          notes.push(line);
        },
        list: () => {},
        error: () => {},
      },
    },
  };
}

describe("tunnel relay", () => {
  it("tells its URL when it accepts requests, logs to stderr, and ends with 0 at the signal", async () => {
    const { context, ready, notes, stderr, stop } = scene({ TENFOLD_RELAY_TOKENS: "one, two," });
    const running = runRelay(context, [], { port: 0 });
    const event = await ready;
    expect(event.type).toBe("relay.ready");
    const url = event.type === "relay.ready" ? event.url : "";
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/t/nobody`)).status).toBe(404);
    stop();
    expect(await running).toBe(0);
    expect(notes).toEqual([]);
    stderr.end();
    const log = await text(stderr);
    expect(log).toMatch(/^2025-11-30T10:53:20\.000Z info \S+ /);
    expect(log).not.toContain("two");
  });

  it("says that it is open to this machine when no token is set", async () => {
    const { context, ready, notes, stop } = scene();
    const running = runRelay(context, [], { port: 0 });
    await ready;
    stop();
    await running;
    expect(notes.join("\n")).toContain("No token is set");
  });

  it("refuses to listen on other addresses without a token", async () => {
    const { context } = scene();
    await expect(runRelay(context, [], { port: 0, host: "0.0.0.0" })).rejects.toMatchObject({
      code: "usage",
      exitCode: 2,
    });
  });

  it("ends with 8 when its port is in use", async () => {
    const first = scene();
    const running = runRelay(first.context, [], { port: 0 });
    const event = await first.ready;
    const port = Number(new URL(event.type === "relay.ready" ? event.url : "").port);
    await expect(runRelay(scene().context, [], { port })).rejects.toMatchObject({
      code: "port-in-use",
      exitCode: 8,
    });
    first.stop();
    await running;
  });
});

it("the relay command is data whose work is loaded when it runs", async () => {
  expect(relayCommand.name).toBe("relay");
  expect(await relayCommand.load()).toBe(runRelay);
});
