import { numberOption } from "../config/option-values.ts";
import { EXIT } from "../errors.ts";
import type { CommandRun } from "./command.ts";
import { DEFAULT_LIMIT } from "./list-limit.ts";
import { withHistory } from "./with-history.ts";

/** Shows the newest deliveries; an empty history is no error. */
export const runList: CommandRun = (context, _args, options) =>
  withHistory(context, options, async (history) => {
    const rows = history.list({ limit: numberOption(options, "limit") ?? DEFAULT_LIMIT });
    context.renderer.list(rows);
    if (rows.length === 0) {
      context.renderer.note(
        "The history is empty. Start a tunnel with `tunnel 3000` and send a webhook to its URL.",
      );
    }
    return EXIT.good;
  });
