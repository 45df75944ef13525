import { appendText } from "../config/option-values.ts";
import { parseCount, parsePort } from "../config/parse-number.ts";
import type { Command } from "./command.ts";

const DEFAULT_PORT = 8787;

/** `tunnel relay`: a relay for agents on other machines. */
export const relayCommand: Command = {
  name: "relay",
  summary: "Run a relay here, for tunnels from other machines.",
  arguments: [],
  options: [
    {
      flags: "--host <address>",
      description: "address to listen on; another than loopback needs a token",
      default: "127.0.0.1",
    },
    {
      flags: "--port <port>",
      description: "port to listen on, 0 for any free one",
      parse: parsePort,
      default: DEFAULT_PORT,
    },
    {
      flags: "--public-url <url>",
      description: "what public URLs begin with, e.g. https://hooks.example.com",
    },
    {
      flags: "--domain <domain>",
      description:
        "tunnels are <name>.<domain>, e.g. hooks.example.com; without it they are paths, /t/<name>",
    },
    {
      flags: "--token <token>",
      description: "token that may open tunnels, repeatable; better in TENFOLD_RELAY_TOKENS, comma-separated",
      parse: appendText,
    },
    {
      flags: "--max-body <bytes>",
      description: "largest request body, 0 for no limit",
      parse: (text) => parseCount(text, 0, Number.MAX_SAFE_INTEGER),
      default: 0,
    },
  ],
  examples: [
    "tunnel relay",
    "TENFOLD_RELAY_TOKENS=$(openssl rand -hex 24) tunnel relay --public-url https://hooks.example.com",
    "tunnel relay --domain hooks.example.com --public-url https://hooks.example.com",
    "tunnel relay --domain localhost    # try host names on this machine: http://shop.localhost:8787",
  ],
  load: async () => (await import("./relay-run.ts")).runRelay,
};
