import { counted, deedsText, listText, sourcesText } from "../output/effects-text.ts";
import type { Cause } from "../output/renderer.ts";
import { changedRows, isAcknowledged, isExcused } from "./run-facts.ts";
import type { AttemptFacts, RunFacts } from "./run-facts.ts";

/** What the messages draw on, in words. */
interface Seen {
  readonly facts: RunFacts;
  readonly count: number;
  /** Attempts that changed something. */
  readonly effective: number;
  /** What the first of them changed. */
  readonly firstDeeds: string;
  /** What the last of them changed. */
  readonly lastDeeds: string;
  /** Answers of the attempts that were not acknowledged: `409`, `500 and timeout`. */
  readonly refusals: string;
  readonly refused: number;
  readonly excused: number;
  /** `sqlite:app.db (charges, orders)` */
  readonly watched: string;
  readonly secretFlag: string;
}

const STORE_THE_KEY =
  "Store the key under a unique constraint in the same transaction as the work, and skip the work when it is there already.";

/**
 * Every cause that a verdict can name: what was seen, what it means, and what to do. Where causes look the same from outside
 * a verdict names several.
 */
const CAUSES = {
  "no-key-check": ({ count, firstDeeds }) =>
    `Each of the ${count} attempts with one key changed the database again; the first ${firstDeeds}. ` +
    `The handler does not look at the key. ${STORE_THE_KEY}`,

  "duplicate-changes-rows": ({ firstDeeds, lastDeeds }) =>
    `The first attempt ${firstDeeds}; a duplicate does less, but not nothing: the last one ${lastDeeds}. ` +
    "Part of the work comes before the look at the key, or is no part of its transaction. Move it behind that look; " +
    "a mere log of requests belongs into another database than the one that is probed.",

  "key-stored-late": ({ count, effective }) =>
    `The first ${effective} of ${count} attempts changed the database, the later ones did not. The key is stored after the work, ` +
    `or after the answer, and what came in between did not find it. ${STORE_THE_KEY}`,

  "key-forgotten": ({ count, effective }) =>
    `${effective} of ${count} attempts with one key changed the database. The key is forgotten: it is kept in the memory of one of ` +
    "several processes, in a cache that drops entries, or with too short a time to live. Keep it in the database, for longer than " +
    "the provider redelivers (seven days is a good start).",

  "effects-without-ack": ({ refusals, firstDeeds }) =>
    `The handler ${firstDeeds} and did not acknowledge the attempt (${refusals}), so the provider sends it again. ` +
    "Answer 2xx in time, once the work is committed; when it fails, roll all of it back.",

  "error-answer-to-duplicate": ({ refused, count, refusals }) =>
    `A delivery that was acknowledged before was answered with ${refusals} when it came again (${refused} of ${count} attempts). ` +
    "The provider takes that for a failure and goes on sending. Answer a known key with 2xx.",

  "body-as-key": ({ watched }) =>
    `A fresh key had no effect in ${watched}, although a probe saw the effects of the delivery that it was made from. The handler may tell ` +
    "events apart by their body: two events can have equal bodies, so use the provider's event id as the key.",

  "business-id": () =>
    "It looks the same from outside when the handler tells events apart by an id of the business in the body, an invoice number for " +
    "example: a second event about that invoice is then lost. Let the event id decide what is a duplicate.",

  "no-key": () =>
    "The delivery carries no key, neither an event id nor a key header, so no handler can tell a duplicate of it from a new event. " +
    "Start the tunnel with --idempotency-header to send it a key.",

  "no-probe": ({ count }) =>
    `Only the answers of ${counted(count, "attempt")} were looked at, not what the handler wrote: this speaks of acknowledgement, not of idempotency. ` +
    "Add --probe sqlite:FILE with your handler's database.",

  "no-effects-seen": ({ count, watched, facts }) =>
    `${counted(count, "attempt")} changed nothing in ${watched}. ` +
    (facts.scenario === "resend"
      ? "The handler knew the key already, as it does after a live delivery, or it does nothing, or writes elsewhere than the probe looks. " +
        "Send it a key that it does not know: --as-new. If that changes nothing either, check the file."
      : "The handler does nothing, or writes elsewhere than the probe looks. Check the file."),

  "already-processed": ({ count, watched }) =>
    `${counted(count, "attempt")} changed nothing in ${watched}, after a probe had seen effects of this delivery earlier. That is right for a ` +
    "handler that knows the key, and just the same for one that does nothing any more. Send it a key that it does not know: --as-new.",

  "no-sources": ({ facts }) =>
    `${facts.probe?.name ?? "The probe"} has no table to watch. Check that it is your handler's database.`,

  "single-attempt": () => "One attempt says nothing about duplicates. Send several with one key: --times 10.",

  "late-effects": ({ watched }) =>
    `Changes in ${watched} came after another attempt than the first. Either the handler works on after it has answered, or a ` +
    "duplicate was processed: the two look the same from here. Probe the table that the handler writes before it answers, or run it again.",

  "still-changing": ({ watched }) =>
    `${watched} was still changing when the probe stopped waiting, so what belongs to which attempt is not known. ` +
    "Stop other programs that write there, and run it again.",

  noise: ({ facts }) =>
    `${sourcesText(facts.probe?.noise ?? [])} changed before the first attempt, with nothing sent: somebody else writes there, so no change ` +
    "can be laid at the handler's door. Stop the other writers, or probe a database of its own.",

  "stale-capture": ({ excused, count, refusals, secretFlag }) =>
    `${excused} of ${count} attempts were refused (${refusals}), and rightly so: the signature's timestamp is too old for the provider's ` +
    `tolerance. Give the secret, so that it is signed again: ${secretFlag}.`,

  "signature-broken": ({ excused, count, refusals, secretFlag }) =>
    `${excused} of ${count} attempts were refused (${refusals}), and rightly so: the signature does not fit the fresh key. ` +
    `Give the secret, so that it is signed again: ${secretFlag}.`,

  "all-rejected": ({ count, refusals }) =>
    `No attempt was acknowledged (${count} of ${count}: ${refusals}), and nothing was written. The handler refuses this delivery for a reason of its ` +
    "own: a wrong path or signing secret, or an error; its log says more.",

  "some-rejected": ({ refused, count, refusals }) =>
    `${refused} of ${count} attempts were not acknowledged (${refusals}), in no order that points to the duplicates. The handler's log says more.`,

  "failed-first": ({ refusals }) =>
    `The attempts before the one that wrote were not acknowledged (${refusals}) and wrote nothing; after that the effects came once. ` +
    "That is right for a handler that failed at first: find out why it did, and run it again.",

  "rate-limited": ({ refused, count }) =>
    `${refused} of ${count} attempts were answered with 429: the handler limits the rate. Lift the limit for this test.`,

  "no-answer": ({ refused, count, refusals }) =>
    `${refused} of ${count} attempts got no whole answer (${refusals}). The handler crashed, restarted, hung or took longer than the ` +
    "time-out; its log says which.",

  "target-unreachable": ({ facts }) =>
    `No attempt reached ${facts.target}, so nothing can be said about the handler. Start it, or give another --target.`,
} as const satisfies Record<string, (seen: Seen) => string>;

export type CauseCode = keyof typeof CAUSES;

/** The causes with their words for this run, in the given order. */
export function toCauses(codes: readonly CauseCode[], facts: RunFacts): readonly Cause[] {
  const seen = describe(facts);
  return codes.map((code) => ({ code, message: CAUSES[code](seen) }));
}

function describe(facts: RunFacts): Seen {
  const { attempts } = facts;
  const effective = attempts.filter((attempt) => changedRows(attempt) > 0);
  const refused = attempts.filter((attempt) => !isAcknowledged(attempt));
  return {
    facts,
    count: attempts.length,
    effective: effective.length,
    firstDeeds: deedsOf(effective.at(0)),
    lastDeeds: deedsOf(effective.at(-1)),
    refusals: refusalsText(refused),
    refused: refused.length,
    excused: attempts.filter((attempt) => isExcused(attempt)).length,
    watched: watchedText(facts),
    secretFlag: `--secret ${facts.provider ?? "PROVIDER"}=env:NAME_OF_A_VARIABLE`,
  };
}

function deedsOf(attempt: AttemptFacts | undefined): string {
  return attempt?.effects == null ? "changed nothing" : deedsText(attempt.effects);
}

/** Each kind of answer once, in order of appearance. */
function refusalsText(refused: readonly AttemptFacts[]): string {
  const kinds = refused.map(({ status, outcome }) =>
    outcome === "rejected" && status !== null ? String(status) : outcome,
  );
  return listText([...new Set(kinds)]);
}

function watchedText({ probe }: RunFacts): string {
  if (probe === null) {
    return "the database";
  }
  return probe.sources.length === 0 ? probe.name : `${probe.name} (${sourcesText(probe.sources)})`;
}
