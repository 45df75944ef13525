import type { ChalkInstance } from "chalk";
import type { Effects } from "../history/history-store.ts";
import { counted, deedsText } from "./effects-text.ts";
import type { Verdict } from "./renderer.ts";
import { visible } from "./visible-text.ts";
import { wrapText } from "./wrap-text.ts";

/** Width of the text of a cause, in columns: it is prose, and longer lines are hard to read. */
const CAUSE_COLUMNS = 96;
const INDENT = "  ";

/**
 * The verdict for people: the result with what was counted, then each cause with what was seen and what to do.
 *
 * @param first effects of the first attempt, in detail; null when they are not known
 */
export function verdictLines(verdict: Verdict, first: Effects | null, chalk: ChalkInstance): string[] {
  const label = resultText(verdict.result, chalk);
  const headline = `${label}  ${verdict.acknowledged} of ${verdict.attempts} acknowledged${effectsPart(verdict, first)}`;
  const causes = verdict.causes.flatMap(({ code, message }) =>
    wrapText(`${code}: ${visible(message)}`, CAUSE_COLUMNS).map((line) => INDENT + line),
  );
  return [headline, ...causes];
}

function resultText(result: Verdict["result"], chalk: ChalkInstance): string {
  const label = result.toUpperCase();
  switch (result) {
    case "good":
      return chalk.bold.green(label);
    case "bad":
      return chalk.bold.red(label);
    case "inconclusive":
    case "skipped":
      return chalk.bold.yellow(label);
  }
}

function effectsPart(verdict: Verdict, first: Effects | null): string {
  const { effects, attempts } = verdict;
  if (effects === null) {
    return "";
  }
  if (effects.total === 0) {
    return ", no writes";
  }
  const deeds = firstText(effects.first, first);
  if (attempts === 1) {
    return `, ${counted(effects.total, "write")}: it ${deeds}`;
  }
  const others = othersText(attempts - 1, effects.rest);
  return `, ${counted(effects.total, "write")} in all: the first attempt ${deeds}, ${others}`;
}

function firstText(rows: number, first: Effects | null): string {
  if (rows === 0) {
    return "changed nothing";
  }
  return first === null || first.total !== rows
    ? `made ${counted(rows, "write")}`
    : visible(deedsText(first));
}

function othersText(count: number, rows: number): string {
  const others = count === 1 ? "the other one" : `the other ${count}`;
  return rows === 0 ? `${others} changed nothing` : `${others} made ${counted(rows, "write")}`;
}
