import { CliError } from "../errors.ts";
import type { OutputEvent, Renderer } from "./renderer.ts";
import { toDeliveryEvent } from "./to-event.ts";
import { bugText } from "./bug-text.ts";
import { escapeInvisible } from "./visible-text.ts";

export interface JsonRendererOptions {
  readonly stdout: NodeJS.WritableStream;
  /** Adds the stack to the message of a bug. */
  readonly debug: boolean;
}

/** One JSON object a line on stdout and nothing else anywhere: the contract of docs/json.md. */
export function createJsonRenderer({ stdout, debug }: JsonRendererOptions): Renderer {
  function event(shown: OutputEvent): void {
    stdout.write(`${escapeInvisible(JSON.stringify(shown))}\n`);
  }
  return {
    event,
    headline: () => {},
    note: () => {},
    list(rows) {
      for (const row of rows) {
        event(toDeliveryEvent(row));
      }
    },
    error(error) {
      event(
        error instanceof CliError
          ? toErrorEvent(error)
          : { type: "error", code: "bug", ...bugText(error, debug) },
      );
    },
  };
}

function toErrorEvent(error: CliError): OutputEvent {
  return {
    type: "error",
    code: error.code,
    message: [error.message, ...error.details].join("\n"),
    hint: error.hint,
  };
}
