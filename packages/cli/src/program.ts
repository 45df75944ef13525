import { Command as CommanderCommand, CommanderError, Option } from "commander";
import type { Command, CommandContext, OptionSpec } from "./commands/command.ts";
import type { CommandInput, OptionForm } from "./config/apply-settings.ts";
import { CliError, EXIT } from "./errors.ts";
import type { CliErrorCode, ExitCode } from "./errors.ts";
import { nearestName } from "./output/nearest-name.ts";
import type { Renderer } from "./output/renderer.ts";

/** The command that `tunnel 3000` means. */
const DEFAULT_COMMAND = "start";
const PROGRAM = "tunnel";

/** Options of every command; `main` reads them before anything else, so that errors are shown in the form asked for. */
const COMMON_OPTIONS: readonly OptionSpec[] = [
  { flags: "--json", description: "one JSON object a line on stdout" },
  { flags: "--quiet", description: "no notes, only results and errors" },
  { flags: "--no-color", description: "no colours (NO_COLOR)" },
];
const SETTINGS_HELP =
  "Settings: options over TENFOLD_* over tenfold.json in the project over ~/.config/tenfold/config.json.";
const ROOT_FLAGS: ReadonlySet<string> = new Set(["--help", "-h", "--version", "-V"]);
const HELP_COMMAND = "help";

export interface CommonFlags {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly color: boolean;
}

/** A command's context before it runs: `--help` shows nothing through the renderer, and starts faster without it. */
export interface ProgramContext extends Omit<CommandContext, "renderer"> {
  /** The same renderer at each call. */
  readonly loadRenderer: () => Promise<Renderer>;
}

export interface Program {
  readonly commands: readonly Command[];
  readonly version: string;
}

/** Reads the flags that every command has, wherever they stand before a `--`. */
export function readCommonFlags(argv: readonly string[]): CommonFlags {
  const end = argv.indexOf("--");
  const flags = end === -1 ? argv : argv.slice(0, end);
  return {
    json: flags.includes("--json"),
    quiet: flags.includes("--quiet"),
    color: !flags.includes("--no-color"),
  };
}

/**
 * Runs what the command line asks for. `tunnel` alone starts where the settings say what the target is; elsewhere it shows the
 * help, which is no error, as is `--help` and `--version`.
 *
 * @param argv without the paths of Node and the program
 * @throws CliError; of a wrong command line with the usage of that command as its only detail
 */
export async function runProgram(
  argv: readonly string[],
  { commands, version }: Program,
  context: ProgramContext,
): Promise<ExitCode> {
  const route = await findRoute(argv, commands, context);
  const result = { exitCode: EXIT.good as ExitCode };
  const root = createRoot(version, context);
  const specs = commands.map(
    (command) => [command.name, addCommand(root, command, context, result)] as const,
  );
  if (route.args.length === 0) {
    root.outputHelp();
    return EXIT.good;
  }
  try {
    await root.parseAsync([...route.args], { from: "user" });
    return result.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) {
      return EXIT.good;
    }
    const used = new Map(specs).get(route.command) ?? root;
    throw withSuggestion(withUsage(error, used), route, commands);
  }
}

interface Route {
  /** Name as registered. */
  readonly command: string;
  /** What commander is to parse, the command first; empty: nothing was asked for. */
  readonly args: readonly string[];
  /** The word that stood where a command may stand, when it was taken for the default command's argument. */
  readonly word: string | undefined;
}

/** Finds the command, also behind common flags (`tunnel --json list`); all else belongs to the default command. */
async function findRoute(
  argv: readonly string[],
  commands: readonly Command[],
  context: ProgramContext,
): Promise<Route> {
  const common = new Set(COMMON_OPTIONS.map(({ flags }) => flags));
  const at = argv.findIndex((arg) => !common.has(arg));
  const word = argv[at];
  if (word === undefined) {
    const { isTargetSet } = await import("./config/apply-settings.ts");
    return isTargetSet(context)
      ? { command: DEFAULT_COMMAND, args: [DEFAULT_COMMAND, ...argv], word }
      : { command: "", args: [], word };
  }
  const command = commands.find(({ name, aliases }) => name === word || aliases?.includes(word));
  if (command !== undefined || word === HELP_COMMAND || ROOT_FLAGS.has(word)) {
    const rest = [...argv.slice(0, at), ...argv.slice(at + 1)];
    return {
      command: command?.name ?? "",
      args: command === undefined ? argv.slice(at) : [word, ...rest],
      word: undefined,
    };
  }
  return { command: DEFAULT_COMMAND, args: [DEFAULT_COMMAND, ...argv], word };
}

function createRoot(version: string, { stdout }: ProgramContext): CommanderCommand {
  return (
    new CommanderCommand(PROGRAM)
      .description(
        "Give a local port a public URL, record every webhook, and prove that its handler is idempotent.",
      )
      .version(version)
      .exitOverride()
      // Errors are shown by the renderer, once, in the form that was asked for.
      .configureOutput({ writeOut: (text) => void stdout.write(text), writeErr: () => {} })
      .addHelpText(
        "after",
        `\n${PROGRAM} <port|url> is short for ${PROGRAM} ${DEFAULT_COMMAND} <port|url>.\n${SETTINGS_HELP}`,
      )
  );
}

function addCommand(
  root: CommanderCommand,
  command: Command,
  context: ProgramContext,
  result: { exitCode: ExitCode },
): CommanderCommand {
  const added = root.command(command.name).summary(command.summary).description(command.summary);
  added.aliases([...(command.aliases ?? [])]);
  for (const { usage, description } of command.arguments) {
    added.argument(usage, description);
  }
  for (const spec of [...command.options, ...COMMON_OPTIONS]) {
    added.addOption(toOption(spec));
  }
  if (command.examples.length > 0) {
    added.addHelpText("after", `\nExamples:\n${command.examples.map((line) => `  ${line}`).join("\n")}`);
  }
  return added.action(async () => {
    const [run, renderer] = await Promise.all([command.load(), context.loadRenderer()]);
    const { args, options } = await withSettings(command, added, context);
    result.exitCode = await run({ ...context, renderer }, args, options);
  });
}

/** What the command line says, with what stands in the environment and in files where it says nothing. */
async function withSettings(
  command: Command,
  parsed: CommanderCommand,
  context: ProgramContext,
): Promise<CommandInput> {
  const { applySettings } = await import("./config/apply-settings.ts");
  const forms = parsed.options.map((option): [string, OptionForm] => {
    const name = option.attributeName();
    const spec = command.options.find(({ flags }) => flags === option.flags);
    return [name, { isGiven: parsed.getOptionValueSource(name) === "cli", parse: spec?.parse }];
  });
  const args = command.arguments.map((_, at) => parsed.args[at]);
  return applySettings({ command: command.name, args, options: parsed.opts() }, new Map(forms), context);
}

function toOption({ flags, description, parse, default: fallback }: OptionSpec): Option {
  const option = new Option(flags, description);
  if (fallback !== undefined) {
    option.default(fallback);
  }
  return parse === undefined
    ? option
    : option.argParser((text, previous) => parseNamed(option, parse, text, previous));
}

/** Names the flag in the message of its parser, which knows only the text. */
function parseNamed(
  option: Option,
  parse: NonNullable<OptionSpec["parse"]>,
  text: string,
  previous: unknown,
): unknown {
  try {
    return parse(text, previous);
  } catch (error) {
    const flag = option.long ?? option.flags;
    if (!(error instanceof CliError) || error.message.includes(flag)) {
      throw error;
    }
    throw new CliError(error.code, `${flag}: ${error.message}`, {
      hint: error.hint,
      details: error.details,
      cause: error,
    });
  }
}

/** Gives a mistake on the command line the usage of its command, in one line. */
function withUsage(error: unknown, command: CommanderCommand): unknown {
  const path = command.parent === null ? PROGRAM : `${PROGRAM} ${command.name()}`;
  const details = [`usage: ${path} ${command.usage()}`];
  if (error instanceof CommanderError) {
    // "error: unknown option '--tmies'\n(Did you mean --times?)"
    const [message = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
    const help = `\`${path} --help\` shows its options.`;
    const hint = suggestion === undefined ? help : `${suggestion.replace(/^\((.*)\)$/, "$1")} ${help}`;
    return new CliError("usage", `${capitalised(message)}.`.replace(/\.\.$/, "."), { hint, details });
  }
  if (error instanceof CliError && error.code === "usage" && error.details.length === 0) {
    return new CliError(error.code, error.message, { hint: error.hint, details, cause: error });
  }
  return error;
}

const MISTAKES: ReadonlySet<CliErrorCode> = new Set(["usage", "bad-target", "bad-port"]);

/** A mistyped command was taken for a target: say which command was probably meant. */
function withSuggestion(error: unknown, { word }: Route, commands: readonly Command[]): unknown {
  const names = [...commands.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]), HELP_COMMAND];
  const near = word === undefined ? undefined : nearestName(word, names);
  if (near === undefined || !(error instanceof CliError) || !MISTAKES.has(error.code)) {
    return error;
  }
  return new CliError(error.code, error.message, {
    hint: `Did you mean \`${PROGRAM} ${near}\`? ${error.hint}`,
    details: error.details,
    cause: error,
  });
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
