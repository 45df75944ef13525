import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import type { Command, CommandContext } from "./commands/command.ts";
import { parseCount } from "./config/parse-number.ts";
import { CliError, EXIT } from "./errors.ts";
import type { ExitCode } from "./errors.ts";
import { parseTarget } from "./forward/parse-target.ts";
import { main } from "./main.ts";
import { CapturedStream } from "./output/testing/captured-stream.ts";

type Run = (
  context: CommandContext,
  args: readonly (string | undefined)[],
  options: object,
) => Promise<ExitCode>;

interface Call {
  readonly command: string;
  readonly args: readonly (string | undefined)[];
  readonly options: object;
}

function createHost(replay: Run = async () => EXIT.good) {
  const calls: Call[] = [];
  const loaded: string[] = [];
  const signals = new EventEmitter();
  const stdout = new CapturedStream();
  const stderr = new CapturedStream();
  function command(name: string, work: Run, rest: Partial<Command>): Command {
    return {
      name,
      summary: `Summary of ${name}.`,
      arguments: [],
      options: [],
      examples: [`tunnel ${name} example`],
      load: async () => {
        loaded.push(name);
        return (context, args, options) => {
          calls.push({ command: name, args, options });
          return work(context, args, options);
        };
      },
      ...rest,
    };
  }
  const start: Run = async (_context, args) => {
    parseTarget(args[0] ?? "");
    return EXIT.good;
  };
  const commands = [
    command("start", start, { arguments: [{ usage: "<port|url>", description: "target" }] }),
    command("list", async () => EXIT.good, { aliases: ["ls"] }),
    command("replay", replay, {
      arguments: [{ usage: "[ref]", description: "which" }],
      options: [
        {
          flags: "--times <n>",
          description: "how often",
          parse: (text) => parseCount(text, 1, 10),
          default: 1,
        },
        { flags: "--as-new", description: "fresh key" },
      ],
    }),
  ];
  async function run(...argv: string[]): Promise<ExitCode> {
    return main({ argv, stdout, stderr, env: {}, cwd: "/shop", signals, commands });
  }
  return { run, calls, loaded, signals, stdout, stderr };
}

describe("the command line", () => {
  it("runs a command with its argument and parsed options", async () => {
    const { run, calls, loaded } = createHost();
    expect(await run("replay", "last~2", "--times", "3", "--as-new")).toBe(0);
    expect(calls).toMatchObject([
      { command: "replay", args: ["last~2"], options: { times: 3, asNew: true } },
    ]);
    expect(loaded).toEqual(["replay"]);
  });

  it("gives the default of an option, and undefined for an argument that is left out", async () => {
    const { run, calls } = createHost();
    await run("replay");
    expect(calls).toMatchObject([{ args: [undefined], options: { times: 1 } }]);
  });

  it.each([["3000"], ["localhost:3000"], ["http://127.0.0.1:3000/base"]])(
    "takes `tunnel %s` as a start",
    async (target) => {
      const { run, calls } = createHost();
      expect(await run(target)).toBe(0);
      expect(calls).toMatchObject([{ command: "start", args: [target] }]);
    },
  );

  it("takes the common flags before and behind the command", async () => {
    const { run, calls } = createHost();
    await run("--json", "--no-color", "list");
    await run("ls", "--quiet", "--json");
    await run("--quiet", "3000");
    expect(calls.map(({ command }) => command)).toEqual(["list", "list", "start"]);
  });

  it("ends with the exit code of the command", async () => {
    const { run } = createHost(async () => EXIT.inconclusive);
    expect(await run("replay")).toBe(7);
  });
});

describe("help and version", () => {
  it.each([[[]], [["--help"]], [["help"]], [["-h"]], [["--json"]]])(
    "are no error and load no command: %j",
    async (argv) => {
      const { run, loaded, stdout, stderr } = createHost();
      expect(await run(...argv)).toBe(0);
      expect(stdout.text).toMatch(/Usage: tunnel/);
      expect(stdout.text).toMatch(/replay.*Summary of replay\./);
      expect(stderr.text).toBe("");
      expect(loaded).toEqual([]);
    },
  );

  it.each([[["replay", "--help"]], [["help", "replay"]], [["replay", "-h"]]])(
    "are of one command: %j",
    async (argv) => {
      const { run, loaded, stdout } = createHost();
      expect(await run(...argv)).toBe(0);
      expect(stdout.text).toMatch(/Usage: tunnel replay \[options\] \[ref\]/);
      expect(stdout.text).toMatch(/--times <n>.*default: 1/);
      expect(stdout.text).toMatch(/--json/);
      expect(stdout.text).toContain("tunnel replay example");
      expect(loaded).toEqual([]);
    },
  );

  it("tell the version", async () => {
    const { run, stdout } = createHost();
    expect(await run("--version")).toBe(0);
    expect(stdout.text).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("a mistake on the command line", () => {
  it("ends with exit 2, a message, a hint and the usage of that command only", async () => {
    const { run, loaded, stdout, stderr } = createHost();
    expect(await run("replay", "--tmies", "3")).toBe(2);
    expect(stdout.text).toBe("");
    expect(stderr.lines).toEqual([
      "error: Unknown option '--tmies'.",
      "  usage: tunnel replay [options] [ref]",
      "hint: Did you mean --times? `tunnel replay --help` shows its options.",
    ]);
    expect(loaded).toEqual([]);
  });

  it("is one JSON object with --json, wherever that stands", async () => {
    const { run, stdout, stderr } = createHost();
    expect(await run("replay", "--tmies", "--json")).toBe(2);
    expect(stdout.events).toEqual([
      {
        type: "error",
        code: "usage",
        message: "Unknown option '--tmies'.\nusage: tunnel replay [options] [ref]",
        hint: "Did you mean --times? `tunnel replay --help` shows its options.",
      },
    ]);
    expect(stderr.text).toBe("");
  });

  it.each(["0", "-3", "ten", "1.5", ""])("names the flag whose value is wrong: --times %j", async (times) => {
    const { run, stderr } = createHost();
    expect(await run("replay", "--times", times)).toBe(2);
    expect(stderr.lines[0]).toContain(`--times: "${times}"`);
    expect(stderr.lines[1]).toBe("  usage: tunnel replay [options] [ref]");
  });

  it("is an argument too many, and an option without its value", async () => {
    const { run, stderr } = createHost();
    expect(await run("replay", "a", "b")).toBe(2);
    expect(await run("replay", "--times")).toBe(2);
    expect(stderr.lines[0]).toMatch(/too many arguments/i);
    expect(stderr.text).toMatch(/--times <n>.*argument missing/);
  });

  it("gets its usage also when only the command itself finds it", async () => {
    const { run, stderr } = createHost(async () => {
      throw new CliError("usage", "These do not go together.", { hint: "Leave one out." });
    });
    expect(await run("replay")).toBe(2);
    expect(stderr.lines).toContain("  usage: tunnel replay [options] [ref]");
  });

  it.each([
    [["rpelay"], "replay"],
    [["relay1"], "replay"],
    [["lst"], "list"],
    [["hlep"], "help"],
    [["repaly", "--times", "10"], "replay"],
  ])("asks whether %j was meant as %s, and never takes it for a target", async (argv, meant) => {
    const { run, stderr } = createHost();
    expect(await run(...argv)).toBe(2);
    expect(stderr.text).toContain(`Did you mean \`tunnel ${meant}\`?`);
  });

  it.each(["0", "65536", "abc", "::1:3000", "-1", "3000x"])(
    "is the target %s, without a guess",
    async (target) => {
      const { run, stderr } = createHost();
      expect(await run(target)).toBe(2);
      expect(stderr.lines[0]).toContain(`"${target}"`);
      expect(stderr.text).not.toContain("Did you mean");
    },
  );
});

describe("an error of a command", () => {
  it("is shown once, and gives its exit code", async () => {
    const { run, stderr } = createHost(async () => {
      throw new CliError("no-such-delivery", "No delivery is called evt_1.", { hint: "See `tunnel list`." });
    });
    expect(await run("replay")).toBe(5);
    expect(stderr.lines).toEqual(["error: No delivery is called evt_1.", "hint: See `tunnel list`."]);
  });

  it("that nobody foresaw is a bug of ours, without a stack", async () => {
    const { run, stderr } = createHost(async () => {
      throw new TypeError("x is not a function");
    });
    expect(await run("replay")).toBe(70);
    expect(stderr.lines[0]).toBe("error: This is a bug in tenfold: x is not a function");
    expect(stderr.text).not.toMatch(/^\s+at /m);
  });
});

describe("signals", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("%s asks the command to end", async (signal) => {
    const { run, signals } = createHost(async (context) => {
      signals.emit(signal);
      return context.signal.aborted ? EXIT.interrupted : EXIT.good;
    });
    expect(await run("replay")).toBe(130);
  });

  it("that come twice in the same moment count once, as npm passes Ctrl-C on", async () => {
    const { run, signals } = createHost(async () => {
      signals.emit("SIGINT");
      signals.emit("SIGINT");
      expect(signals.listenerCount("SIGINT")).toBe(1);
      return EXIT.good;
    });
    expect(await run("replay")).toBe(0);
  });

  it("end the process themselves once the program is over", async () => {
    const { run, signals } = createHost();
    await run("replay");
    expect(signals.listenerCount("SIGINT") + signals.listenerCount("SIGTERM")).toBe(0);
  });
});

describe("a closed stdout", () => {
  it("ends the work and is no error", async () => {
    const { run, stdout, stderr } = createHost(async (context) => {
      stdout.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
      return context.signal.aborted ? EXIT.good : EXIT.bad;
    });
    expect(await run("replay")).toBe(0);
    expect(stderr.text).toBe("");
  });

  it("is a failure when the disk is full", async () => {
    const { run, stdout, stderr } = createHost(async () => {
      stdout.emit("error", Object.assign(new Error("write ENOSPC"), { code: "ENOSPC" }));
      return EXIT.good;
    });
    expect(await run("replay")).toBe(8);
    expect(stderr.lines).toHaveLength(1);
  });
});
