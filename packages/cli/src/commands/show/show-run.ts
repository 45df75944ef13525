import { refuseTogether } from "../../config/option-values.ts";
import { EXIT } from "../../errors.ts";
import type { AttemptRecord, DeliveryRecord } from "../../history/history-store.ts";
import type { Renderer } from "../../output/renderer.ts";
import { toAttemptEvent, toDeliveryEvent } from "../../output/to-event.ts";
import type { CommandContext, CommandRun } from "../command.ts";
import { withHistory } from "../with-history.ts";
import { deliveryText } from "./delivery-text.ts";
import { maskHeaders } from "./mask-headers.ts";

/** Shows one delivery. @throws CliError `no-such-delivery`, `ambiguous-ref` */
export const runShow: CommandRun = (context, args, options) => {
  const isRaw = options["raw"] === true;
  const isJson = options["json"] === true;
  if (isRaw && isJson) {
    refuseTogether("--raw", "--json", "--raw writes the body and nothing else");
  }
  return withHistory(context, options, async (history) => {
    const delivery = history.resolve(args[0] ?? "last", context.cwd);
    if (isRaw) {
      await writeBody(delivery, context);
    } else if (isJson) {
      showEvents(delivery, history.attempts(delivery.id), context.renderer);
    } else {
      await write(context.stdout, deliveryText(delivery, history.attempts(delivery.id)));
    }
    return EXIT.good;
  });
};

async function writeBody({ body }: DeliveryRecord, { stdout, renderer }: CommandContext): Promise<void> {
  await write(stdout, body.bytes);
  if (body.truncated) {
    renderer.note(`The history holds the first ${body.bytes.length} of ${body.size} bytes.`);
  }
}

function showEvents(delivery: DeliveryRecord, attempts: readonly AttemptRecord[], renderer: Renderer): void {
  const { bytes, size, truncated } = delivery.body;
  const shown = {
    ...toDeliveryEvent(delivery),
    headers: maskHeaders(delivery.headers),
    bodyBase64: Buffer.from(bytes).toString("base64"),
    bodySize: size,
    truncated,
  };
  renderer.event(shown);
  for (const attempt of attempts) {
    renderer.event(toAttemptEvent(attempt));
  }
}

/** Resolves once the stream has taken it all, so that the end of the process cuts nothing off. */
function write(stream: NodeJS.WritableStream, content: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(content, (error) => {
      if (error) {
        reject(error);
      } else {
        resolve();
      }
    });
  });
}
