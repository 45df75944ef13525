import type { ChalkInstance } from "chalk";
import { CliError } from "../errors.ts";
import type { Effects } from "../history/history-store.ts";
import { bugText } from "./bug-text.ts";
import { answerPart, attemptLine, deliveryLine, summaryLine } from "./plain-lines.ts";
import type { LineStyle } from "./plain-lines.ts";
import type { OutputEvent, Renderer } from "./renderer.ts";
import type { AttemptEvent, DeliveryEvent } from "./to-event.ts";
import { verdictLines } from "./verdict-lines.ts";
import { visible } from "./visible-text.ts";

/** Deliveries that wait for their answer, at most; with more in flight the oldest is shown without one. */
const MAX_WAITING = 1_000;
const MS_PER_SECOND = 1_000;

export interface PlainRendererOptions {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly chalk: ChalkInstance;
  /** For stderr, which may be a file while stdout is a terminal. */
  readonly errorChalk: ChalkInstance;
  readonly quiet: boolean;
  /** Shows the stack of a bug. */
  readonly debug: boolean;
  /** IANA name; absent: that of the machine. */
  readonly timeZone?: string;
}

/** Lines for people. A live delivery is one line, shown with its answer; a run is a line for each attempt and a verdict. */
export function createPlainRenderer(options: PlainRendererOptions): Renderer {
  return new PlainRenderer(options);
}

class PlainRenderer implements Renderer {
  readonly #options: PlainRendererOptions;
  readonly #style: LineStyle;
  /** By id, oldest first. */
  readonly #waiting = new Map<string, DeliveryEvent>();
  /** Of the run that is shown: attempts so far, and what the first one changed. */
  #run: { count: number; first: Effects | null } = { count: 0, first: null };

  constructor(options: PlainRendererOptions) {
    this.#options = options;
    this.#style = { chalk: options.chalk, timeZone: options.timeZone };
  }

  event(event: OutputEvent): void {
    switch (event.type) {
      case "tunnel.ready":
        return this.#print(`${this.#options.chalk.bold(visible(event.url))}  ->  ${visible(event.target)}`);
      case "tunnel.down":
        return this.#tell(
          `link to the relay lost: ${visible(event.reason)}; next try in ${secondsText(event.retryInMs)}`,
        );
      case "relay.ready":
        return this.#print(`relay ready at ${visible(event.url)}`);
      case "delivery":
        return this.#addDelivery(event);
      case "attempt":
        return this.#addAttempt(event);
      case "verdict":
        return this.#endRun(event);
      case "error":
        return this.#tellError(event.message, [], event.hint);
    }
  }

  headline(line: string): void {
    this.#print(this.#options.chalk.bold(visible(line)));
  }

  note(line: string): void {
    if (!this.#options.quiet) {
      this.#tell(visible(line));
    }
  }

  list(rows: Parameters<Renderer["list"]>[0]): void {
    for (const row of rows) {
      this.#print(summaryLine(row, this.#style));
    }
  }

  error(error: CliError | Error): void {
    if (error instanceof CliError) {
      return this.#tellError(error.message, error.details, error.hint);
    }
    const { message, hint } = bugText(error, this.#options.debug);
    const [headline = "", ...stack] = message.split("\n");
    return this.#tellError(headline, stack, hint);
  }

  #addDelivery(delivery: DeliveryEvent): void {
    const oldest = this.#waiting.keys().next();
    if (this.#waiting.size >= MAX_WAITING && oldest.done !== true) {
      this.#showWaiting(oldest.value);
    }
    this.#waiting.set(delivery.id, delivery);
  }

  #addAttempt(attempt: AttemptEvent): void {
    if (attempt.trigger === "live") {
      return this.#showLive(attempt);
    }
    if (this.#showWaiting(attempt.delivery)) {
      this.#run = { count: 0, first: null };
    }
    this.#run.count += 1;
    if (this.#run.count === 1) {
      this.#run.first = attempt.effects;
    }
    this.#print(attemptLine(attempt, this.#run.count, this.#style));
  }

  #showLive(attempt: AttemptEvent): void {
    const delivery = this.#waiting.get(attempt.delivery);
    this.#waiting.delete(attempt.delivery);
    const head = delivery === undefined ? visible(attempt.delivery) : deliveryLine(delivery, this.#style);
    this.#print(`${head}  ${answerPart(attempt, delivery, this.#style)}`);
  }

  #showWaiting(id: string): boolean {
    const delivery = this.#waiting.get(id);
    if (delivery === undefined) {
      return false;
    }
    this.#waiting.delete(id);
    this.#print(deliveryLine(delivery, this.#style).trimEnd());
    return true;
  }

  /** That nothing was reached is said by the error that follows, and by nothing else: one clear line. */
  #endRun(verdict: Extract<OutputEvent, { readonly type: "verdict" }>): void {
    if (verdict.causes[0]?.code !== "target-unreachable") {
      for (const line of verdictLines(verdict, this.#run.first, this.#options.chalk)) {
        this.#print(line);
      }
    }
    this.#run = { count: 0, first: null };
  }

  #tellError(message: string, details: readonly string[], hint: string): void {
    const { errorChalk: chalk } = this.#options;
    this.#tell(`${chalk.red("error:")} ${visible(message)}`);
    for (const line of details) {
      this.#tell(`  ${visible(line)}`);
    }
    if (hint !== "") {
      this.#tell(`${chalk.cyan("hint:")} ${visible(hint)}`);
    }
  }

  #print(line: string): void {
    this.#options.stdout.write(`${line}\n`);
  }

  #tell(line: string): void {
    this.#options.stderr.write(`${line}\n`);
  }
}

function secondsText(ms: number): string {
  return `${(ms / MS_PER_SECOND).toFixed(1)} s`;
}
