import type { Command } from "./command.ts";
import { REF_ARGUMENT, RUN_OPTIONS } from "./replay-options.ts";

/** `tunnel resend`: a replay that never makes a new delivery. */
export const resendCommand: Command = {
  name: "resend",
  summary: "Send a recorded delivery again with the same key, once or many times.",
  arguments: [REF_ARGUMENT],
  options: RUN_OPTIONS,
  examples: ["tunnel resend", "tunnel resend last --times 10 --probe sqlite:app.db"],
  load: async () => (await import("./replay-run.ts")).runReplay,
};
