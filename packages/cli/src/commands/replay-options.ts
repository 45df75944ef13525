import { appendText } from "../config/option-values.ts";
import { parseCount, parseSeconds } from "../config/parse-number.ts";
import { DEFAULT_TIMEOUT_MS } from "../config/target-settings.ts";
import type { ArgumentSpec, OptionSpec } from "./command.ts";

/** Long enough for most handlers that answer first and write after. */
export const DEFAULT_SETTLE_MS = 3_000;
/** Most attempts of one run: at some ten a second that is a quarter of an hour. */
const MAX_TIMES = 10_000;

export const REF_ARGUMENT: ArgumentSpec = {
  usage: "[ref]",
  description: "last (default), last~2, an id or its beginning, or the provider's event id",
};

/** What `replay` and `resend` have in common. */
export const RUN_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--times <n>",
    description: `attempts, one after the other, all with one key: 1 to ${MAX_TIMES}`,
    parse: (text) => parseCount(text, 1, MAX_TIMES),
    default: 1,
  },
  { flags: "--probe <spec>", description: "database that the handler writes to: sqlite:FILE" },
  {
    flags: "--settle <seconds>",
    description: `with a probe: how long to watch for late writes after the last attempt (${DEFAULT_SETTLE_MS / 1_000})`,
    parse: parseSeconds,
  },
  {
    flags: "--target <url>",
    description: "where to send it (default: the target that the delivery went to)",
  },
  {
    flags: "--secret <provider=value>",
    description: "signing secret, repeatable; better stripe=env:NAME, or TENFOLD_SECRET_STRIPE",
    parse: appendText,
  },
  {
    flags: "--timeout <seconds>",
    description: `time for the target's answer to begin (${DEFAULT_TIMEOUT_MS / 1_000})`,
    parse: parseSeconds,
  },
  { flags: "--db <file>", description: "history database (TENFOLD_DB)" },
];
