import { Chalk } from "chalk";
import type { ChalkInstance } from "chalk";
import { createJsonRenderer } from "./json-renderer.ts";
import { createPlainRenderer } from "./plain-renderer.ts";
import type { Renderer } from "./renderer.ts";

/** Chalk's levels: none, and the sixteen colours that every terminal has. */
const NO_COLOR = 0;
const BASIC_COLOR = 1;
const OFF_VALUES: ReadonlySet<string> = new Set(["0", "false"]);

type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

export interface RendererSettings {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly json: boolean;
  readonly quiet: boolean;
  /** False after `--no-color`. */
  readonly color: boolean;
}

/** The renderer that the flags, the environment and the terminal ask for. */
export function createRenderer(settings: RendererSettings): Renderer {
  const { stdout, stderr, quiet, env } = settings;
  const debug = env["TENFOLD_DEBUG"] === "1";
  if (settings.json) {
    return createJsonRenderer({ stdout, debug });
  }
  const chalk = chalkFor(stdout, settings);
  return createPlainRenderer({ stdout, stderr, chalk, errorChalk: chalkFor(stderr, settings), quiet, debug });
}

function chalkFor(stream: Output, settings: Pick<RendererSettings, "env" | "color">): ChalkInstance {
  return new Chalk({ level: hasColor(stream, settings) ? BASIC_COLOR : NO_COLOR });
}

/**
 * Colour is for terminals. `--no-color` always wins; then `FORCE_COLOR` before `NO_COLOR`, as in Node itself.
 */
export function hasColor(
  stream: { readonly isTTY?: boolean },
  { env, color }: Pick<RendererSettings, "env" | "color">,
): boolean {
  if (!color) {
    return false;
  }
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) {
    return !OFF_VALUES.has(forced);
  }
  const isRefused = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  return !isRefused && stream.isTTY === true;
}
