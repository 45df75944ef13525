import type { HeaderList } from "@tenfold/protocol";
import type { AttemptRecord, DeliveryRecord } from "../../history/history-store.ts";
import { counted, effectsText } from "../../output/effects-text.ts";
import { toDeliveryEvent } from "../../output/to-event.ts";
import { visible } from "../../output/visible-text.ts";
import { bodyLines } from "./body-text.ts";
import { maskHeaders } from "./mask-headers.ts";

const LABEL_COLUMNS = 11;

/** A delivery and its attempts for a terminal. Nothing that came from outside can drive it. */
export function deliveryText(delivery: DeliveryRecord, attempts: readonly AttemptRecord[]): string {
  const lines = [
    visible(`${delivery.id}  ${delivery.method} ${delivery.path}`),
    ...factLines(delivery),
    "",
    "Headers",
    ...indented(headerLines(delivery.headers)),
    "",
    `Body (${counted(delivery.body.size, "byte")})`,
    ...indented(bodyLines(delivery.body)),
    "",
    attempts.length === 0 ? "No attempts" : "Attempts",
    ...indented(attempts.map(attemptLine)),
  ];
  return `${lines.join("\n")}\n`;
}

function factLines(delivery: DeliveryRecord): string[] {
  const { key, keySource, receivedAt } = toDeliveryEvent(delivery);
  const from =
    delivery.tunnel === null ? delivery.folder : `${delivery.tunnel}, started in ${delivery.folder}`;
  const facts: readonly (readonly [label: string, value: string | null])[] = [
    [delivery.replayOf === null ? "received" : "made", receivedAt],
    ["replay of", delivery.replayOf],
    ["provider", joined([delivery.provider, delivery.event])],
    ["key", key === null ? "none" : `${key} (${keySource})`],
    ["signature", delivery.signature],
    ["target", delivery.target],
    ["tunnel", from],
  ];
  return facts
    .filter(([, value]) => value !== null)
    .map(([label, value]) => `${label.padEnd(LABEL_COLUMNS)}${visible(value ?? "")}`);
}

function headerLines(headers: HeaderList): string[] {
  const masked = maskHeaders(headers);
  return Array.from({ length: masked.length / 2 }, (_, index) =>
    visible(`${masked[index * 2] ?? ""}: ${masked[index * 2 + 1] ?? ""}`),
  );
}

function attemptLine(attempt: AttemptRecord): string {
  const parts = [
    String(attempt.number),
    attempt.trigger,
    attempt.status === null ? "-" : String(attempt.status),
    attempt.outcome,
    `${Math.round(attempt.durationMs)} ms`,
    attempt.effects === null ? null : effectsText(attempt.effects),
    attempt.cause,
  ];
  return visible(joined(parts, "  ") ?? "");
}

function joined(parts: readonly (string | null)[], separator = " "): string | null {
  const present = parts.filter((part) => part !== null);
  return present.length === 0 ? null : present.join(separator);
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
