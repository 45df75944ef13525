import type { Command } from "./command.ts";

/** `tunnel show`: one delivery in full, with its attempts. */
export const showCommand: Command = {
  name: "show",
  summary: "Show a delivery: headers, body and attempts.",
  arguments: [
    {
      usage: "[ref]",
      description: "last (default), last~2, an id or its beginning, or the provider's event id",
    },
  ],
  options: [
    { flags: "--raw", description: "write the stored bytes of the body to stdout, and nothing else" },
    { flags: "--db <file>", description: "history database (TENFOLD_DB)" },
  ],
  examples: ["tunnel show", "tunnel show last~2 --json", "tunnel show evt_1Qabc --raw > body.json"],
  load: async () => (await import("./show/show-run.ts")).runShow,
};
