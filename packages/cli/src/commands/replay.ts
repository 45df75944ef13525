import type { Command } from "./command.ts";
import { REF_ARGUMENT, RUN_OPTIONS } from "./replay-options.ts";

/** `tunnel replay`: the same key again, or with `--as-new` a fresh one. */
export const replayCommand: Command = {
  name: "replay",
  summary: "Send a recorded delivery again, once or many times, and judge what the handler makes of it.",
  arguments: [REF_ARGUMENT],
  options: [
    { flags: "--as-new", description: "make a new delivery of it, with a fresh key, and send that one" },
    ...RUN_OPTIONS,
  ],
  examples: [
    "tunnel replay last --times 10 --probe sqlite:app.db",
    "tunnel replay last --as-new --secret stripe=env:STRIPE_WEBHOOK_SECRET",
  ],
  load: async () => (await import("./replay-run.ts")).runReplay,
};
