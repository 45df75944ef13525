import type { Command } from "./command.ts";
import { listCommand } from "./list.ts";
import { relayCommand } from "./relay.ts";
import { replayCommand } from "./replay.ts";
import { resendCommand } from "./resend.ts";
import { showCommand } from "./show.ts";
import { startCommand } from "./start.ts";

/** Every command, in the order of the help: one line each. */
export const commands: readonly Command[] = [
  startCommand,
  listCommand,
  showCommand,
  replayCommand,
  resendCommand,
  relayCommand,
];
