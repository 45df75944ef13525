import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { onTestFinished } from "vitest";

const WAIT_MS = 20_000;
const KILL_AFTER_MS = 5_000;

/** A real process whose output can be waited for. It is ended, and known to have ended, when the test is over. */
export class RunningProcess {
  readonly child: ChildProcessWithoutNullStreams;
  stdout = "";
  stderr = "";
  readonly exited: Promise<number | null>;
  #listeners = new Set<() => void>();

  constructor(command: string, args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
    this.child = spawn(command, args, { ...options, stdio: "pipe" });
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
      this.#wake();
    });
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.#wake();
    });
    this.exited = new Promise((resolve, reject) => {
      this.child.once("error", reject);
      this.child.once("close", (code) => {
        resolve(code);
        this.#wake();
      });
    });
    onTestFinished(async () => {
      await this.stop();
    });
  }

  get hasExited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Waits until `pick` gives something for the output so far. Rejects with all output when it never does. */
  async waitFor<T>(what: string, pick: (process: this) => T | undefined): Promise<T> {
    const deadline = Date.now() + WAIT_MS;
    for (;;) {
      const picked = pick(this);
      if (picked !== undefined) return picked;
      if (this.hasExited || Date.now() > deadline) {
        const why = this.hasExited
          ? `the process ended (${this.child.exitCode ?? this.child.signalCode})`
          : `${WAIT_MS} ms passed`;
        throw new Error(
          `waited for ${what}, but ${why}\n--- stdout\n${this.stdout}\n--- stderr\n${this.stderr}`,
        );
      }
      await this.#nextOutput(deadline - Date.now());
    }
  }

  /** Sends SIGTERM, then SIGKILL to a process that does not heed it. Resolves once it is gone. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (!this.hasExited) {
      this.child.kill(signal);
      const timer = setTimeout(() => this.child.kill("SIGKILL"), KILL_AFTER_MS);
      await this.exited.finally(() => clearTimeout(timer));
    }
    return this.exited;
  }

  #nextOutput(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#listeners.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#listeners.add(done);
    });
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }
}
