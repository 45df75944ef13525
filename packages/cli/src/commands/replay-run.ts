import { existsSync, realpathSync } from "node:fs";
import { exitCodeOf } from "../check/exit-code.ts";
import { abortableSleep } from "../config/abortable-sleep.ts";
import { numberOption, textOption, textsOption } from "../config/option-values.ts";
import type { OptionValues } from "../config/option-values.ts";
import { resolveSecrets } from "../config/secrets.ts";
import { DEFAULT_TIMEOUT_MS } from "../config/target-settings.ts";
import { CliError, EXIT } from "../errors.ts";
import type { ExitCode } from "../errors.ts";
import { createForwarder } from "../forward/create-forwarder.ts";
import { parseTarget } from "../forward/parse-target.ts";
import type { Target } from "../forward/target.ts";
import type { DeliveryRecord, HistoryStore } from "../history/history-store.ts";
import { toAttemptEvent, toDeliveryEvent } from "../output/to-event.ts";
import { visible } from "../output/visible-text.ts";
import { openProbe, parseProbeSpec } from "../probes/probe-spec.ts";
import type { Probe } from "../probes/probe.ts";
import { replayDelivery } from "../replay/replay-delivery.ts";
import type { ReplayedRun } from "../replay/replay-delivery.ts";
import { planReplayAsNew } from "../replay/replay-as-new.ts";
import { planResend } from "../replay/resend.ts";
import type { RunPlan } from "../replay/run-plan.ts";
import type { CommandContext, CommandRun } from "./command.ts";
import { DEFAULT_SETTLE_MS } from "./replay-options.ts";
import { withHistory } from "./with-history.ts";

const MS_PER_SECOND = 1_000;

/** Everything that the command line and the environment say, read before anything is opened. */
interface ReplaySettings {
  readonly ref: string;
  readonly times: number;
  readonly asNew: boolean;
  readonly probe: ReturnType<typeof parseProbeSpec> | null;
  /** Undefined: the delivery's own. */
  readonly targetUrl: string | undefined;
  readonly timeoutMs: number;
  readonly settleMs: number;
  readonly secrets: ReadonlyMap<string, readonly string[]>;
}

/** Sends a delivery again, and ends with what that says about the handler. */
export const runReplay: CommandRun = async (context, args, options) => {
  const settings = readSettings(context, args, options);
  return withHistory(context, options, (history) => replay(settings, history, context));
};

function readSettings(
  { env, cwd }: CommandContext,
  args: readonly (string | undefined)[],
  options: OptionValues,
): ReplaySettings {
  const target = textOption(options, "target");
  const probe = textOption(options, "probe");
  return {
    ref: args[0] ?? "last",
    times: numberOption(options, "times") ?? 1,
    asNew: options["asNew"] === true,
    probe: probe === undefined ? null : parseProbeSpec(probe, cwd),
    targetUrl: target === undefined ? undefined : parseTarget(target),
    timeoutMs: numberOption(options, "timeout") ?? DEFAULT_TIMEOUT_MS,
    settleMs: numberOption(options, "settle") ?? DEFAULT_SETTLE_MS,
    secrets: resolveSecrets(textsOption(options, "secret"), env),
  };
}

async function replay(
  settings: ReplaySettings,
  history: HistoryStore,
  context: CommandContext,
): Promise<ExitCode> {
  const delivery = history.resolve(settings.ref, context.cwd);
  const plan = makePlan(delivery, settings, context.now());
  assertNotOwnHistory(settings.probe, history.path);
  const probe = settings.probe === null ? null : await openProbe(settings.probe);
  const forwarder = createForwarder();
  try {
    const run = await replayDelivery(
      plan,
      { times: settings.times, settleMs: settings.settleMs, signal: context.signal },
      {
        forwarder,
        history,
        probe,
        clock: { now: context.now, monotonicNow: () => performance.now(), sleep: abortableSleep },
        onStart: () => showPlan(plan, context),
        onAttempt: (attempt) => context.renderer.event(toAttemptEvent(attempt)),
      },
    );
    return conclude(run, plan, settings, context);
  } finally {
    await Promise.all([forwarder.close(), closeProbe(probe)]);
  }
}

/** It changes with every attempt, by our own hand. @throws CliError `bad-probe` */
function assertNotOwnHistory(probe: ReplaySettings["probe"], historyPath: string): void {
  if (probe !== null && existsSync(probe.path) && realpathSync(probe.path) === realpathSync(historyPath)) {
    throw new CliError("bad-probe", `The probe ${visible(probe.name)} is Tenfold's own history.`, {
      hint: "Give the database file that the handler writes to.",
    });
  }
}

function makePlan(delivery: DeliveryRecord, settings: ReplaySettings, now: number): RunPlan {
  const request = { delivery, target: targetOf(delivery, settings), secrets: settings.secrets, now };
  return settings.asNew ? planReplayAsNew(request) : planResend(request);
}

/** @throws CliError `no-target` */
function targetOf(delivery: DeliveryRecord, { targetUrl, timeoutMs }: ReplaySettings): Target {
  const url = targetUrl ?? delivery.target;
  if (url === "") {
    throw new CliError("no-target", `Delivery ${delivery.id} was never meant for a target.`, {
      hint: "Say where it should go: --target http://localhost:3000",
    });
  }
  return { url, idempotencyHeader: delivery.idempotencyHeader, hostHeader: "preserve", timeoutMs };
}

function showPlan(plan: RunPlan, { renderer }: CommandContext): void {
  renderer.headline(plan.headline);
  for (const note of plan.notes) {
    renderer.note(note);
  }
  renderer.event(toDeliveryEvent(plan.delivery));
}

/** @throws CliError `interrupted`, `target-unreachable` */
function conclude(
  run: ReplayedRun,
  plan: RunPlan,
  { times, settleMs }: ReplaySettings,
  { renderer }: CommandContext,
): ExitCode {
  if (run.verdict === null) {
    throw new CliError(
      "interrupted",
      `Interrupted after ${run.facts.attempts.length} of ${times} attempts.`,
      {
        hint: `What was sent is in the history: tunnel show ${plan.delivery.id}`,
      },
    );
  }
  renderer.event({ type: "verdict", ...run.verdict });
  if (run.verdict.result === "good") {
    renderer.note(
      `The attempts went one after the other; late writes were watched for until ${settleMs / MS_PER_SECOND} s after the last (--settle).`,
    );
  }
  const exitCode = exitCodeOf(run.verdict, run.facts);
  if (exitCode === EXIT.targetUnreachable) {
    throw new CliError(
      "target-unreachable",
      `No attempt reached ${plan.target.url}: ${run.lastCause ?? "nothing was sent"}`,
      {
        hint: "Start your app there, or give another target with --target.",
      },
    );
  }
  return exitCode;
}

async function closeProbe(probe: Probe | null): Promise<void> {
  await probe?.close();
}
