import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { RunningProcess } from "./running-process.ts";

export const repository = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
export const bin = path.join(repository, "packages/cli/dist/bin.js");

/** One line of `--json` output. */
export type JsonEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface TunnelResult {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly events: readonly JsonEvent[];
}

export interface TunnelHome {
  readonly cwd: string;
  readonly db: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The caller's environment without anything that could steer Tenfold, and with a history of its own. */
export function environment(home: TunnelHome): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(TENFOLD_|NO_COLOR|FORCE_COLOR|CI$|NODE_|VITEST)/u.test(name),
  );
  return { ...Object.fromEntries(inherited), HOME: home.cwd, TENFOLD_DB: home.db, ...home.env };
}

/** Runs the built `tunnel` to its end. Never rejects for an exit code. */
export async function runTunnel(home: TunnelHome, args: readonly string[]): Promise<TunnelResult> {
  const result = await execa(process.execPath, [bin, ...args], {
    cwd: home.cwd,
    env: environment(home),
    extendEnv: false,
    reject: false,
    timeout: 45_000,
    stdin: "ignore",
    stripFinalNewline: false,
  });
  return {
    exitCode: result.exitCode,
    stdout: result.stdout,
    stderr: result.stderr,
    events: args.includes("--json") ? toEvents(result.stdout) : [],
  };
}

/** Starts the built `tunnel`; the test waits for its events. */
export function startTunnel(home: TunnelHome, args: readonly string[]): TunnelProcess {
  return new TunnelProcess(process.execPath, [bin, ...args], { cwd: home.cwd, env: environment(home) });
}

export class TunnelProcess extends RunningProcess {
  get events(): JsonEvent[] {
    return toEvents(this.stdout.slice(0, this.stdout.lastIndexOf("\n") + 1));
  }

  /** Waits for the `count`th event of a type. */
  waitForEvent(type: string, count = 1): Promise<JsonEvent> {
    return this.waitFor(
      `${count} × ${type}`,
      () => this.events.filter((event) => event.type === type)[count - 1],
    );
  }
}

function toEvents(text: string): JsonEvent[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JsonEvent);
}
