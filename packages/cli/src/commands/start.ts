import { appendText } from "../config/option-values.ts";
import { parsePort, parseSeconds } from "../config/parse-number.ts";
import { DEFAULT_TIMEOUT_MS, parseHostHeader } from "../config/target-settings.ts";
import type { Command } from "./command.ts";

/** `tunnel 3000`: the default command. */
export const startCommand: Command = {
  name: "start",
  summary: "Give a local port a public URL and record every delivery that comes in.",
  arguments: [
    {
      usage: "[port|url]",
      description: "where deliveries go: 3000, localhost:3000, http://127.0.0.1:3000/base (TENFOLD_TARGET)",
    },
  ],
  options: [
    {
      flags: "--relay <url>",
      description: "public relay to use (TENFOLD_RELAY); without one: this machine only",
    },
    {
      flags: "--token <token>",
      description: "token of the relay; better in TENFOLD_TOKEN, which other users can't see",
    },
    { flags: "--name <name>", description: "name of the tunnel in its public URL" },
    {
      flags: "--port <port>",
      description: "port of the URL on this machine, without --relay",
      parse: parsePort,
    },
    { flags: "--db <file>", description: "history database (TENFOLD_DB)" },
    {
      flags: "--idempotency-header [name]",
      description: "send the delivery's key in this header (X-Idempotency-Key)",
    },
    {
      flags: "--host-header <rule>",
      description: "Host that the target sees: preserve, rewrite or a value",
      parse: parseHostHeader,
      default: "preserve",
    },
    {
      flags: "--timeout <seconds>",
      description: `time for the target's answer to begin (${DEFAULT_TIMEOUT_MS / 1_000})`,
      parse: parseSeconds,
    },
    {
      flags: "--secret <provider=value>",
      description: "signing secret, repeatable; better stripe=env:NAME, or TENFOLD_SECRET_STRIPE",
      parse: appendText,
    },
    { flags: "--record-only", description: "record and answer 202; send nothing to the target" },
  ],
  examples: [
    "tunnel 3000",
    "tunnel 3000 --secret stripe=env:STRIPE_WEBHOOK_SECRET",
    "TENFOLD_TOKEN=… tunnel 3000 --relay https://hooks.example.com --name shop",
  ],
  load: async () => (await import("./start-run.ts")).runStart,
};
