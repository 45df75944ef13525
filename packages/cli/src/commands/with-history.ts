import { homedir } from "node:os";
import { textOption } from "../config/option-values.ts";
import type { OptionValues } from "../config/option-values.ts";
import type { HistoryStore } from "../history/history-store.ts";
import { openHistory, resolveHistoryPath } from "../history/open-history.ts";
import type { CommandContext } from "./command.ts";

/**
 * Opens the history that `--db` and the environment name, and closes it when the work is done.
 *
 * @throws CliError as `openHistory` and what `work` throws
 */
export async function withHistory<T>(
  context: CommandContext,
  options: OptionValues,
  work: (history: HistoryStore) => Promise<T>,
): Promise<T> {
  const { env, now } = context;
  const path = resolveHistoryPath(textOption(options, "db"), env, env["HOME"] ?? homedir());
  const history = openHistory({ path, now });
  try {
    return await work(history);
  } finally {
    await history.close();
  }
}
