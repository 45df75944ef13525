import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { createAgent } from "../agent/agent.ts";
import type { AgentEvent } from "../agent/agent-event.ts";
import type { RelayLink } from "../agent/connect-relay.ts";
import { shownRelayUrl, toRelayEndpoint } from "../agent/relay-endpoint.ts";
import { abortableSleep } from "../config/abortable-sleep.ts";
import { numberOption, refuseTogether, textOption, textsOption } from "../config/option-values.ts";
import type { OptionValues } from "../config/option-values.ts";
import { resolveSecrets } from "../config/secrets.ts";
import { DEFAULT_TIMEOUT_MS, parseIdempotencyHeader } from "../config/target-settings.ts";
import { VERSION } from "../config/version.ts";
import { CliError, EXIT } from "../errors.ts";
import { createForwarder } from "../forward/create-forwarder.ts";
import { parseTarget } from "../forward/parse-target.ts";
import type { Target } from "../forward/target.ts";
import type { HistoryStore } from "../history/history-store.ts";
import { openHistory, resolveHistoryPath } from "../history/open-history.ts";
import type { Renderer } from "../output/renderer.ts";
import { toAttemptEvent, toDeliveryEvent } from "../output/to-event.ts";
import type { CommandContext, CommandRun } from "./command.ts";

const RESUME_SECRET_BYTES = 32;
/** Longest wait for the last records to reach the disk, in ms. */
const FLUSH_TIMEOUT_MS = 5_000;
const LOCAL_NOTES = [
  "This URL is reachable from this machine only.",
  "For a public one run `tunnel relay` on a server and start with --relay and --token.",
] as const;

/** Everything that the command line and the environment say, read before anything is opened. */
interface StartSettings {
  readonly target: Target;
  readonly secrets: ReadonlyMap<string, readonly string[]>;
  readonly historyPath: string;
  readonly recordOnly: boolean;
  readonly name: string | undefined;
  /** Undefined: the embedded relay on `port`. */
  readonly relay: { readonly url: string; readonly token: string } | undefined;
  readonly port: number;
}

/** Runs a tunnel until the signal comes. */
export const runStart: CommandRun = async (context, args, options) => {
  const settings = readSettings(context, args, options);
  const history = openHistory({ path: settings.historyPath, now: context.now });
  history.onWriteError((error) => context.renderer.error(error));
  let lostRecords = false;
  try {
    await runTunnel(settings, history, {
      ...context,
      onLostRecord: () => {
        lostRecords = true;
      },
    });
  } finally {
    await closeHistory(history);
  }
  return lostRecords ? EXIT.localState : EXIT.good;
};

interface TunnelContext extends CommandContext {
  /** A record that the history did not take is lost, which the exit code has to say in the end. */
  readonly onLostRecord: () => void;
}

function readSettings(
  context: CommandContext,
  args: readonly (string | undefined)[],
  options: OptionValues,
): StartSettings {
  const { env } = context;
  const relayUrl = textOption(options, "relay");
  const port = numberOption(options, "port");
  if (relayUrl !== undefined && port !== undefined) {
    refuseTogether("--relay", "--port", "with a relay elsewhere there is no port on this machine");
  }
  return {
    target: readTarget(args[0], options),
    secrets: resolveSecrets(textsOption(options, "secret"), env),
    historyPath: resolveHistoryPath(textOption(options, "db"), env, env["HOME"] ?? homedir()),
    recordOnly: options["recordOnly"] === true,
    name: textOption(options, "name"),
    relay: relayUrl === undefined ? undefined : readRelay(relayUrl, textOption(options, "token")),
    port: port ?? 0,
  };
}

function readTarget(text: string | undefined, options: OptionValues): Target {
  if (text === undefined) {
    throw new CliError("no-target", "It is not said where deliveries go.", {
      hint: 'Give a port: tunnel 3000, or write {"target": 3000} in tenfold.json.',
    });
  }
  const hostHeader = options["hostHeader"];
  return {
    url: parseTarget(text),
    idempotencyHeader: parseIdempotencyHeader(options["idempotencyHeader"]),
    hostHeader: isHostHeader(hostHeader) ? hostHeader : "preserve",
    timeoutMs: numberOption(options, "timeout") ?? DEFAULT_TIMEOUT_MS,
  };
}

function isHostHeader(value: unknown): value is Target["hostHeader"] {
  return (
    value === "preserve" ||
    value === "rewrite" ||
    (typeof value === "object" && value !== null && "value" in value)
  );
}

/** A relay without tokens, on loopback, takes any token, so none is needed here; a public one says `bad-token`. */
function readRelay(url: string, token: string | undefined): { readonly url: string; readonly token: string } {
  toRelayEndpoint(url);
  return { url, token: token ?? "" };
}

async function runTunnel(
  settings: StartSettings,
  history: HistoryStore,
  context: TunnelContext,
): Promise<void> {
  const forwarder = createForwarder();
  const relay = await openRelay(settings, context);
  const link: RelayLink = {
    url: relay.url,
    token: relay.token,
    ...(settings.name === undefined ? {} : { name: settings.name }),
    resumeSecret: randomBytes(RESUME_SECRET_BYTES).toString("base64url"),
    agent: `tenfold/${VERSION}`,
  };
  const shown = { target: settings.target.url, relay: shownRelayUrl(relay.url), notes: relay.notes };
  const agent = createAgent(
    {
      link,
      target: settings.target,
      secrets: settings.secrets,
      folder: context.cwd,
      recordOnly: settings.recordOnly,
    },
    {
      forwarder,
      history,
      now: context.now,
      onEvent(event) {
        if (event.type === "history-failed") {
          context.onLostRecord();
        }
        showEvent(event, context.renderer, shown);
      },
      random: Math.random,
      sleep: abortableSleep,
    },
  );
  try {
    await agent.run(context.signal);
  } finally {
    await forwarder.close();
    await relay.close();
  }
}

interface OpenRelay {
  readonly url: string;
  readonly token: string;
  /** For people, once the tunnel is up. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}

async function openRelay(settings: StartSettings, context: CommandContext): Promise<OpenRelay> {
  if (settings.relay !== undefined) {
    return { ...settings.relay, notes: [], close: async () => {} };
  }
  const { startEmbeddedRelay } = await import("../agent/embedded-relay.ts");
  const embedded = await startEmbeddedRelay(
    { port: settings.port, targetTimeoutMs: settings.target.timeoutMs },
    { now: context.now, log: () => {} },
  );
  return { url: embedded.url, token: embedded.token, notes: LOCAL_NOTES, close: () => embedded.close() };
}

interface Shown {
  readonly target: string;
  readonly relay: string;
  readonly notes: readonly string[];
}

function showEvent(event: AgentEvent, renderer: Renderer, shown: Shown): void {
  switch (event.type) {
    case "ready":
      renderer.event({
        type: "tunnel.ready",
        url: event.url,
        target: shown.target,
        relay: shown.relay,
        name: event.name,
      });
      for (const line of shown.notes) {
        renderer.note(line);
      }
      return;
    case "down":
      renderer.event({ type: "tunnel.down", reason: event.reason, retryInMs: event.retryInMs });
      return;
    case "gap":
      renderer.note(gapLine(event.count, event.from, event.to));
      return;
    case "delivery":
      renderer.event(toDeliveryEvent(event.delivery));
      return;
    case "attempt":
      renderer.event(toAttemptEvent(event.attempt));
      return;
    case "history-failed":
      renderer.error(event.error);
  }
}

function gapLine(count: number, from: number, to: number): string {
  const [first, last] = [from, to].map((time) => new Date(time).toISOString());
  return `gap: the relay had to drop ${count} stored deliveries, from ${first} to ${last}`;
}

/** @throws CliError `disk-full` and the like: what was not written is lost now, so the exit code has to say it. */
async function closeHistory(history: HistoryStore): Promise<void> {
  const bound = new AbortController();
  try {
    await Promise.race([history.flush(), abortableSleep(FLUSH_TIMEOUT_MS, bound.signal)]);
  } finally {
    bound.abort();
    await history.close();
  }
}
