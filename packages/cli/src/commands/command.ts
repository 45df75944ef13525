import type { ExitCode } from "../errors.ts";
import type { Renderer } from "../output/renderer.ts";

/** What a command takes from outside; nothing in a command touches `process`. */
export interface CommandContext {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Aborted at the first SIGINT or SIGTERM; a second one ends the process at once. */
  readonly signal: AbortSignal;
  /** Made from `--json`, `--quiet`, `--no-color`, `NO_COLOR` and whether stdout is a terminal. */
  readonly renderer: Renderer;
}

export interface OptionSpec {
  /** commander form: `--times <n>`, `--json`, `--idempotency-header [name]`. */
  readonly flags: string;
  readonly description: string;
  /** Turns the text into a value. @throws CliError `usage` */
  readonly parse?: (text: string, previous: unknown) => unknown;
  readonly default?: unknown;
}

export interface ArgumentSpec {
  /** `[ref]` or `<port|url>`. */
  readonly usage: string;
  readonly description: string;
}

/** A command is data; its work is loaded only when it runs, so that `--help` stays fast. */
export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly arguments: readonly ArgumentSpec[];
  readonly options: readonly OptionSpec[];
  readonly examples: readonly string[];
  readonly load: () => Promise<CommandRun>;
}

/** `options` are commander's: camel case, parsed by their spec. */
export type CommandRun = (
  context: CommandContext,
  args: readonly (string | undefined)[],
  options: Readonly<Record<string, unknown>>,
) => Promise<ExitCode>;
