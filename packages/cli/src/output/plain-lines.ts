import type { ChalkInstance } from "chalk";
import type { DeliverySummary, Outcome } from "../history/history-store.ts";
import { counted, effectsText } from "./effects-text.ts";
import type { AttemptEvent, DeliveryEvent } from "./to-event.ts";
import { toDeliveryEvent } from "./to-event.ts";
import { visible } from "./visible-text.ts";

/** Widest path, label and key of a line, in chars: two lines of an 80 column terminal hold the whole. */
const MAX_PATH_CHARS = 48;
const MAX_LABEL_CHARS = 40;
const MAX_KEY_CHARS = 36;
const MAX_CAUSE_CHARS = 300;
/** Columns that usual values fit in, so that lines stand below each other. */
const REQUEST_COLUMNS = 20;
const LABEL_COLUMNS = 20;
const KEY_COLUMNS = 20;
const DURATION_COLUMNS = 8;
const OUTCOME_COLUMNS = 12;
const NUMBER_COLUMNS = 3;
const STATUS_COLUMNS = 3;
/** `dlv_` and the digits of the time with four more: a prefix that commands take as it stands. */
const ID_CHARS = 20;
const NOTHING = "-";
const LOWEST_ERROR = 400;
const BAD_SIGNATURES: ReadonlySet<string> = new Set(["invalid", "expired", "missing"]);

export interface LineStyle {
  readonly chalk: ChalkInstance;
  /** IANA name; absent: that of the machine. */
  readonly timeZone: string | undefined;
}

/** `12:03:04  POST /hooks  stripe invoice.paid  evt_1Q` */
export function deliveryLine(delivery: DeliveryEvent, style: LineStyle): string {
  return [
    style.chalk.dim(timeText(delivery.receivedAt, style)),
    `${visible(delivery.method, { maxLength: MAX_LABEL_CHARS })} ${visible(delivery.path, { maxLength: MAX_PATH_CHARS })}`.padEnd(
      REQUEST_COLUMNS,
    ),
    labelText(delivery).padEnd(LABEL_COLUMNS),
    keyText(delivery.key).padEnd(KEY_COLUMNS),
  ].join("  ");
}

/** What became of a live delivery, to follow its `deliveryLine`: `200     12 ms  acknowledged`. */
export function answerPart(
  attempt: AttemptEvent,
  delivery: DeliveryEvent | undefined,
  style: LineStyle,
): string {
  const parts = [...attemptParts(attempt, style)];
  if (delivery !== undefined && BAD_SIGNATURES.has(delivery.signature)) {
    parts.push(style.chalk.yellow(`signature ${delivery.signature}`));
  }
  return parts.join("  ").trimEnd();
}

/** ` 3  200      8 ms  acknowledged  no writes` */
export function attemptLine(attempt: AttemptEvent, number: number, style: LineStyle): string {
  const effects = attempt.effects === null ? "" : visible(effectsText(attempt.effects));
  return [String(number).padStart(NUMBER_COLUMNS), ...attemptParts(attempt, style), effects]
    .join("  ")
    .trimEnd();
}

/** A row of `tunnel list`, with an id that other commands take. */
export function summaryLine(row: DeliverySummary, style: LineStyle): string {
  const delivery = toDeliveryEvent(row);
  const answer =
    row.lastOutcome === null
      ? NOTHING
      : `${row.lastStatus ?? NOTHING} ${outcomeText(row.lastOutcome, row.lastOutcome, style)}`;
  return [
    row.id.slice(0, ID_CHARS),
    `${dateText(delivery.receivedAt, style)} ${deliveryLine(delivery, style)}`,
    counted(row.attempts, "attempt").padEnd("10 attempts".length),
    answer,
    row.replayOf === null ? "" : `replay of ${row.replayOf.slice(0, ID_CHARS)}`,
    row.bodyTruncated ? "truncated" : "",
  ]
    .filter((part) => part !== "")
    .join("  ");
}

/** A key as it stands in a line; `-` for none. */
function keyText(key: string | null): string {
  return key === null ? NOTHING : visible(key, { maxLength: MAX_KEY_CHARS });
}

function attemptParts(attempt: AttemptEvent, style: LineStyle): string[] {
  const padded = attempt.outcome.padEnd(OUTCOME_COLUMNS);
  return [
    String(attempt.status ?? NOTHING).padStart(STATUS_COLUMNS),
    `${Math.round(attempt.durationMs)} ms`.padStart(DURATION_COLUMNS),
    outcomeText(attempt.outcome, padded, style),
    ...causeParts(attempt),
  ];
}

/** An error status says itself what the cause would say again. */
function causeParts({ cause, outcome, status }: AttemptEvent): string[] {
  const isSaid = outcome === "rejected" && (status ?? 0) >= LOWEST_ERROR;
  return cause === null || isSaid ? [] : [visible(cause, { maxLength: MAX_CAUSE_CHARS })];
}

function outcomeText(outcome: Outcome, text: string, { chalk }: LineStyle): string {
  if (outcome === "acknowledged") {
    return chalk.green(text);
  }
  return outcome === "recorded" ? chalk.cyan(text) : chalk.red(text);
}

function labelText({ provider, event }: DeliveryEvent): string {
  const label = [provider, event].filter((part) => part !== null).join(" ");
  return label === "" ? NOTHING : visible(label, { maxLength: MAX_LABEL_CHARS });
}

function timeText(iso: string, style: LineStyle): string {
  return formatted(iso, style, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
}

/** Swedish writes dates as ISO 8601 does. */
function dateText(iso: string, style: LineStyle): string {
  return formatted(iso, style, { year: "numeric", month: "2-digit", day: "2-digit" });
}

function formatted(iso: string, { timeZone }: LineStyle, parts: Intl.DateTimeFormatOptions): string {
  const options = timeZone === undefined ? parts : { ...parts, timeZone };
  return new Intl.DateTimeFormat("sv-SE", options).format(new Date(iso));
}
