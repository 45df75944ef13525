import type { RelayLog } from "@tenfold/relay-server";
import { startPublicRelay } from "../agent/embedded-relay.ts";
import { numberOption, textOption, textsOption } from "../config/option-values.ts";
import type { OptionValues } from "../config/option-values.ts";
import { EXIT } from "../errors.ts";
import { visible } from "../output/visible-text.ts";
import type { CommandContext, CommandRun } from "./command.ts";

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 8787;

/** Runs a relay until the signal comes, then lets open deliveries finish. */
export const runRelay: CommandRun = async (context, _args, options) => {
  const tokens = readTokens(context, options);
  const domain = textOption(options, "domain", context.env["TENFOLD_DOMAIN"]);
  const publicUrl = textOption(options, "publicUrl", context.env["TENFOLD_PUBLIC_URL"]);
  const relay = await startPublicRelay(
    {
      host: textOption(options, "host") ?? DEFAULT_HOST,
      port: numberOption(options, "port") ?? DEFAULT_PORT,
      ...(publicUrl === undefined ? {} : { publicUrl }),
      ...(domain === undefined ? {} : { domain }),
      maxBodyBytes: numberOption(options, "maxBody") ?? 0,
      tokens,
    },
    { now: context.now, log: createLogLines(context) },
  );
  try {
    context.renderer.event({ type: "relay.ready", url: relay.url, adminUrl: null });
    if (tokens.length === 0) {
      context.renderer.note(
        "No token is set: any program on this machine may open tunnels, and no other machine can.",
      );
    }
    await aborted(context.signal);
  } finally {
    await relay.close();
  }
  return EXIT.good;
};

/** Flags over environment; an empty item, as a trailing comma leaves, is no token. */
function readTokens(context: CommandContext, options: OptionValues): readonly string[] {
  const flags = textsOption(options, "token");
  const listed = flags.length > 0 ? flags : (context.env["TENFOLD_RELAY_TOKENS"] ?? "").split(",");
  return [...new Set(listed.map((token) => token.trim()).filter((token) => token !== ""))];
}

/** `2026-11-30T12:00:00.000Z info session.opened name=brave-otter-4821`; values with a space or a quote are in JSON. */
function createLogLines(context: CommandContext): RelayLog {
  return (level, event, fields) => {
    const pairs = Object.entries(fields).map(([name, value]) => `${name}=${fieldText(value)}`);
    const line = [new Date(context.now()).toISOString(), level, event, ...pairs].join(" ");
    context.stderr.write(`${line}\n`);
  };
}

function fieldText(value: string | number | boolean): string {
  const text = visible(String(value));
  return /[\s"=]/.test(text) || text === "" ? JSON.stringify(text) : text;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) {
      resolve();
    }
  });
}
