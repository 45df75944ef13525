import { commands } from "./commands/index.ts";
import type { Command } from "./commands/command.ts";
import { VERSION } from "./config/version.ts";
import { CliError, EXIT } from "./errors.ts";
import type { ExitCode } from "./errors.ts";
import type { Renderer } from "./output/renderer.ts";
import { readCommonFlags, runProgram } from "./program.ts";
import type { ProgramContext } from "./program.ts";

const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;
/**
 * A second signal within this time, in ms, is the first one over again: a terminal sends Ctrl-C to the whole process group, and
 * npm and the like pass theirs on. A person is slower.
 */
const ECHO_MS = 500;

/** The parts of `process` that a program needs; a test brings its own. */
export interface Host {
  /** Without the paths of Node and the program. */
  readonly argv: readonly string[];
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Where SIGINT and SIGTERM are heard; without a listener they end the process. */
  readonly signals: {
    on(signal: NodeJS.Signals, listener: () => void): unknown;
    off(signal: NodeJS.Signals, listener: () => void): unknown;
  };
  /** Default: all of them. */
  readonly commands?: readonly Command[];
}

/** Runs the program to its end and gives its exit code. Never rejects: what goes wrong is shown. */
export async function main(host: Host): Promise<ExitCode> {
  let loaded: Promise<Renderer> | undefined;
  const loadRenderer = () => (loaded ??= openRenderer(host));
  const stopping = new AbortController();
  const stopListening = abortOnSignal(host.signals, stopping);
  const output = watchOutput(host, stopping);
  try {
    const exitCode = await runProgram(
      host.argv,
      { commands: host.commands ?? commands, version: VERSION },
      toContext(host, loadRenderer, stopping.signal),
    );
    return output.failed() ? tellLostOutput(host) : exitCode;
  } catch (error) {
    // Without a reader there is nobody to tell, and after a lost output that is the cause of all else.
    if (output.closed()) {
      return EXIT.interrupted;
    }
    return output.failed() ? tellLostOutput(host) : showFailure(error, await loadRenderer());
  } finally {
    stopListening();
  }
}

function toContext(
  { stdout, stderr, env, cwd }: Host,
  loadRenderer: () => Promise<Renderer>,
  signal: AbortSignal,
): ProgramContext {
  return { stdout, stderr, env, cwd, now: Date.now, signal, loadRenderer };
}

async function openRenderer(host: Host): Promise<Renderer> {
  const { createRenderer } = await import("./output/create-renderer.ts");
  return createRenderer({ ...host, ...readCommonFlags(host.argv) });
}

/** Plain, since the renderer's own way is the one that failed. */
function tellLostOutput({ stderr }: Host): ExitCode {
  stderr.write("error: stdout could not be written, so results are lost. Is the disk full?\n");
  return EXIT.localState;
}

function showFailure(error: unknown, renderer: Renderer): ExitCode {
  const shown = error instanceof Error ? error : new Error(String(error));
  renderer.error(shown);
  return shown instanceof CliError ? shown.exitCode : EXIT.bug;
}

/** The first signal asks for an orderly end; after that the process has no listener, so that the next one ends it at once. */
function abortOnSignal(signals: Host["signals"], stopping: AbortController): () => void {
  function stopListening(): void {
    for (const signal of STOP_SIGNALS) {
      signals.off(signal, onSignal);
    }
  }
  function onSignal(): void {
    if (!stopping.signal.aborted) {
      stopping.abort();
      setTimeout(stopListening, ECHO_MS).unref();
    }
  }
  for (const signal of STOP_SIGNALS) {
    signals.on(signal, onSignal);
  }
  return stopListening;
}

/**
 * A reader that has seen enough (`tunnel list | head -1`) is no error, only the end of the work. Any other failure of stdout
 * loses results, so the exit code tells.
 */
function watchOutput(
  { stdout, stderr }: Host,
  stopping: AbortController,
): { failed(): boolean; closed(): boolean } {
  let failed = false;
  let closed = false;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    closed ||= error.code === "EPIPE";
    failed ||= error.code !== "EPIPE";
    stopping.abort();
  });
  // Nowhere is left to say that nothing can be said.
  stderr.on("error", () => {});
  return { failed: () => failed, closed: () => closed };
}
