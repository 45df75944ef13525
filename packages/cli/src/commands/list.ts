import { parseCount } from "../config/parse-number.ts";
import type { Command } from "./command.ts";
import { DEFAULT_LIMIT, MAX_LIMIT } from "./list-limit.ts";

/** `tunnel list`: the newest deliveries of the history. */
export const listCommand: Command = {
  name: "list",
  summary: "List the newest deliveries of the history.",
  arguments: [],
  options: [
    {
      flags: "--limit <n>",
      description: `deliveries to list, newest first: 1 to ${MAX_LIMIT}`,
      parse: (text) => parseCount(text, 1, MAX_LIMIT),
      default: DEFAULT_LIMIT,
    },
    { flags: "--db <file>", description: "history database (TENFOLD_DB)" },
  ],
  examples: ["tunnel list", "tunnel list --limit 100 --json"],
  load: async () => (await import("./list-run.ts")).runList,
};
