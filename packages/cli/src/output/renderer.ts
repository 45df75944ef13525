import type { CliError } from "../errors.ts";
import type { DeliverySummary, Effects, Outcome, Trigger } from "../history/history-store.ts";

export interface Cause {
  readonly code: string;
  readonly message: string;
}

export interface Verdict {
  readonly scenario: string;
  readonly result: "good" | "bad" | "inconclusive" | "skipped";
  readonly attempts: number;
  readonly acknowledged: number;
  /** Changed rows; null without a probe. `first`: of the first attempt, `rest`: of all others. */
  readonly effects: { readonly first: number; readonly rest: number; readonly total: number } | null;
  readonly causes: readonly Cause[];
}

/** All that is ever shown. The field names are the JSON contract (docs/json.md). */
export type OutputEvent =
  | {
      readonly type: "tunnel.ready";
      readonly url: string;
      readonly target: string;
      readonly relay: string;
      readonly name: string;
    }
  | { readonly type: "tunnel.down"; readonly reason: string; readonly retryInMs: number }
  | { readonly type: "relay.ready"; readonly url: string; readonly adminUrl: string | null }
  | {
      readonly type: "delivery";
      readonly id: string;
      readonly key: string | null;
      readonly keySource: "provider" | "header" | "minted" | "none";
      readonly provider: string | null;
      readonly event: string | null;
      readonly method: string;
      readonly path: string;
      /** ISO 8601, UTC. */
      readonly receivedAt: string;
      readonly signature: string;
      readonly replayOf: string | null;
    }
  | {
      readonly type: "attempt";
      readonly id: string;
      readonly delivery: string;
      readonly number: number;
      readonly trigger: Trigger;
      readonly target: string;
      readonly status: number | null;
      readonly outcome: Outcome;
      readonly durationMs: number;
      readonly effects: Effects | null;
      readonly cause: string | null;
    }
  | ({ readonly type: "verdict" } & Verdict)
  | { readonly type: "error"; readonly code: string; readonly message: string; readonly hint: string };

/** One way of showing things. Results go to stdout, progress (`note`) and errors to stderr. */
export interface Renderer {
  event(event: OutputEvent): void;
  /** What the results that follow are about, for people: stdout, dropped by `--json`. */
  headline(line: string): void;
  /** A line for people: dropped by `--json` and `--quiet`. */
  note(line: string): void;
  /** Rows of `tunnel list`. */
  list(rows: readonly DeliverySummary[]): void;
  error(error: CliError | Error): void;
}
