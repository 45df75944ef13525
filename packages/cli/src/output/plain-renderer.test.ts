import { Chalk } from "chalk";
import { describe, expect, it } from "vitest";
import { inserted, NO_EFFECTS } from "../check/testing/facts.ts";
import { CliError } from "../errors.ts";
import type { AttemptRecord } from "../history/history-store.ts";
import { createPlainRenderer } from "./plain-renderer.ts";
import type { Verdict } from "./renderer.ts";
import { CapturedStream } from "./testing/captured-stream.ts";
import { attemptRecord, deliveryRecord, deliverySummary } from "./testing/records.ts";
import { toAttemptEvent, toDeliveryEvent } from "./to-event.ts";

function createPlain(options: { quiet?: boolean; debug?: boolean } = {}) {
  const stdout = new CapturedStream();
  const stderr = new CapturedStream();
  const chalk = new Chalk({ level: 0 });
  const renderer = createPlainRenderer({
    stdout,
    stderr,
    chalk,
    errorChalk: chalk,
    quiet: options.quiet ?? false,
    debug: options.debug ?? false,
    timeZone: "UTC",
  });
  return { stdout, stderr, renderer };
}

const DELIVERY_LINE = "12:03:04  POST /hooks           stripe invoice.paid   evt_1QabcdefGHIJKL  ";
const resent = (changes: Partial<AttemptRecord> = {}) =>
  toAttemptEvent(attemptRecord({ trigger: "resend", ...changes }));
const good: Verdict = {
  scenario: "resend",
  result: "good",
  attempts: 2,
  acknowledged: 2,
  effects: { first: 2, rest: 0, total: 2 },
  causes: [],
};

describe("a live delivery", () => {
  it("is one line, shown with its answer", () => {
    const { stdout, renderer } = createPlain();
    renderer.event(toDeliveryEvent(deliveryRecord()));
    expect(stdout.text).toBe("");
    renderer.event(toAttemptEvent(attemptRecord()));
    expect(stdout.lines).toEqual([`${DELIVERY_LINE}  200     12 ms  acknowledged`]);
  });

  it("says why it failed, and that its signature is bad", () => {
    const { stdout, renderer } = createPlain();
    renderer.event(toDeliveryEvent(deliveryRecord({ signature: "invalid" })));
    renderer.event(
      toAttemptEvent(
        attemptRecord({ status: null, outcome: "refused", cause: "connection refused: is the app running?" }),
      ),
    );
    expect(stdout.lines).toEqual([
      `${DELIVERY_LINE}    -     12 ms  refused       connection refused: is the app running?  signature invalid`,
    ]);
  });

  it("can't drive the terminal", () => {
    const { stdout, renderer } = createPlain();
    renderer.event(
      toDeliveryEvent(
        deliveryRecord({ path: "/\u001b[2J", event: "a\nb", key: "\u202ekey", provider: null }),
      ),
    );
    renderer.event(toAttemptEvent(attemptRecord({ status: null, outcome: "reset", cause: "\u009bX" })));
    expect(stdout.lines).toEqual([
      "12:03:04  POST /␛[2J            a␊b                   \\u202ekey               -     12 ms  reset         \\u009bX",
    ]);
  });

  it("does not wait for its answer for ever", () => {
    const { stdout, renderer } = createPlain();
    for (let count = 0; count <= 1_000; count += 1) {
      renderer.event(toDeliveryEvent(deliveryRecord({ id: `dlv_${count}` })));
    }
    expect(stdout.lines).toEqual([DELIVERY_LINE.trimEnd()]);
  });
});

describe("a run", () => {
  it("is the delivery, a line for each attempt with what it changed, and the verdict", () => {
    const { stdout, renderer } = createPlain();
    renderer.event(toDeliveryEvent(deliveryRecord()));
    renderer.event(resent({ number: 7, effects: inserted({ charges: 1, events: 1 }) }));
    renderer.event(resent({ number: 8, durationMs: 3, effects: NO_EFFECTS }));
    renderer.event({ type: "verdict", ...good });
    expect(stdout.lines).toEqual([
      DELIVERY_LINE.trimEnd(),
      "  1  200     12 ms  acknowledged  1 row inserted in charges and 1 row inserted in events",
      "  2  200      3 ms  acknowledged  no writes",
      "GOOD  2 of 2 acknowledged, 2 writes in all: the first attempt inserted 1 row in charges and 1 row in events, the other one changed nothing",
    ]);
  });

  it("shows a refusal by its status, and the cause where the status does not say it", () => {
    const { stdout, renderer } = createPlain();
    renderer.event(resent({ status: 500, outcome: "rejected", cause: "the handler answered 500" }));
    renderer.event(
      resent({ status: 302, outcome: "rejected", cause: "the handler answered 302: a redirect" }),
    );
    expect(stdout.lines).toEqual([
      "  1  500     12 ms  rejected",
      "  2  302     12 ms  rejected      the handler answered 302: a redirect",
    ]);
  });

  it("ends with each cause, wrapped", () => {
    const { stdout, renderer } = createPlain();
    renderer.event(resent({ effects: inserted({ charges: 1 }) }));
    renderer.event({
      type: "verdict",
      ...good,
      result: "bad",
      attempts: 10,
      acknowledged: 10,
      effects: { first: 1, rest: 9, total: 10 },
      causes: [
        { code: "no-key-check", message: `${"word ".repeat(20)}end` },
        { code: "key-forgotten", message: "short" },
      ],
    });
    expect(stdout.lines.slice(1)).toEqual([
      "BAD  10 of 10 acknowledged, 10 writes in all: the first attempt inserted 1 row in charges, the other 9 made 9 writes",
      `  no-key-check: ${"word ".repeat(16).trimEnd()}`,
      "  word word word word end",
      "  key-forgotten: short",
    ]);
  });

  it("speaks of acknowledgement only without a probe, and of no writes where there were none", () => {
    const { stdout, renderer } = createPlain();
    renderer.event({ type: "verdict", ...good, result: "inconclusive", effects: null });
    renderer.event({ type: "verdict", ...good, result: "inconclusive", attempts: 1, acknowledged: 1 });
    renderer.event({
      type: "verdict",
      ...good,
      result: "inconclusive",
      effects: { first: 0, rest: 0, total: 0 },
    });
    renderer.event({
      type: "verdict",
      ...good,
      result: "inconclusive",
      effects: { first: 0, rest: 1, total: 1 },
    });
    expect(stdout.lines).toEqual([
      "INCONCLUSIVE  2 of 2 acknowledged",
      "INCONCLUSIVE  1 of 1 acknowledged, 2 writes: it made 2 writes",
      "INCONCLUSIVE  2 of 2 acknowledged, no writes",
      "INCONCLUSIVE  2 of 2 acknowledged, 1 write in all: the first attempt changed nothing, the other one made 1 write",
    ]);
  });

  it("leaves it to the error to say that nobody was there", () => {
    const { stdout, renderer } = createPlain();
    const causes = [{ code: "target-unreachable", message: "nobody" }];
    renderer.event({ type: "verdict", ...good, result: "inconclusive", causes });
    expect(stdout.text).toBe("");
  });
});

describe("the list", () => {
  it("is a line for each delivery, with an id that commands take and how it stands", () => {
    const { stdout, renderer } = createPlain();
    renderer.list([
      deliverySummary(),
      deliverySummary({ attempts: 12, lastStatus: null, lastOutcome: "timeout", bodyTruncated: true }),
      deliverySummary({
        attempts: 0,
        lastStatus: null,
        lastOutcome: null,
        replayOf: "dlv_019b7e4ac2457abc8def",
      }),
    ]);
    expect(stdout.lines).toEqual([
      `dlv_019b7e4ac2457abc  2026-01-02 ${DELIVERY_LINE}  1 attempt    200 acknowledged`,
      `dlv_019b7e4ac2457abc  2026-01-02 ${DELIVERY_LINE}  12 attempts  - timeout  truncated`,
      `dlv_019b7e4ac2457abc  2026-01-02 ${DELIVERY_LINE}  0 attempts   -  replay of dlv_019b7e4ac2457abc`,
    ]);
  });
});

describe("what goes to stderr", () => {
  it("is an error with its details and hint, in whole words and without control characters", () => {
    const { stdout, stderr, renderer } = createPlain();
    renderer.error(
      new CliError("ambiguous-ref", "two \u001b[2J", { hint: "Say more.", details: ["dlv_1", "dlv_2"] }),
    );
    expect(stdout.text).toBe("");
    expect(stderr.lines).toEqual(["error: two ␛[2J", "  dlv_1", "  dlv_2", "hint: Say more."]);
  });

  it("is a bug as a bug, with the stack only where it was asked for", () => {
    const plain = createPlain();
    const debug = createPlain({ debug: true });
    const error = new TypeError("x is not a function");
    plain.renderer.error(error);
    debug.renderer.error(error);
    expect(plain.stderr.lines).toEqual([
      "error: This is a bug in tenfold: x is not a function",
      "hint: Run it again with TENFOLD_DEBUG=1 to see where, and please report it.",
    ]);
    expect(debug.stderr.text).toMatch(/^ {2} +at /mu);
  });

  it("is a note, unless --quiet", () => {
    const loud = createPlain();
    const quiet = createPlain({ quiet: true });
    loud.renderer.note("a note");
    quiet.renderer.note("a note");
    expect(loud.stderr.lines).toEqual(["a note"]);
    expect(quiet.stderr.text).toBe("");
  });

  it("is not the headline of a run: that is a result, and comes first", () => {
    const { stdout, renderer } = createPlain({ quiet: true });
    renderer.headline("same key evt_\u001B[2J1");
    expect(stdout.lines).toEqual(["same key evt_␛[2J1"]);
  });

  it("is a lost link, while the URL of a tunnel is a result", () => {
    const { stdout, stderr, renderer } = createPlain();
    const url = "https://hooks.test/t/shop";
    renderer.event({ type: "tunnel.ready", url, target: "http://localhost:3000", relay: "r", name: "shop" });
    renderer.event({ type: "relay.ready", url: "http://127.0.0.1:8787", adminUrl: null });
    renderer.event({ type: "tunnel.down", reason: "no answer", retryInMs: 1_500 });
    expect(stdout.lines).toEqual([
      `${url}  ->  http://localhost:3000`,
      "relay ready at http://127.0.0.1:8787",
    ]);
    expect(stderr.lines).toEqual(["link to the relay lost: no answer; next try in 1.5 s"]);
  });
});
