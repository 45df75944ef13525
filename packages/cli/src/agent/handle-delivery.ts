import type { RequestHead, ResetCode, ResponderStream, StreamHandler } from "@tenfold/protocol";
import { getHeader } from "@tenfold/providers";
import { attemptDelivery } from "../forward/attempt-delivery.ts";
import type { Forwarder, RequestBody } from "../forward/forwarder.ts";
import { createBodyCapture } from "../history/capture-body.ts";
import type { NewAttempt, Outcome } from "../history/history-store.ts";
import { mintKey, newAttemptId } from "../history/ids.ts";
import { createDeliveryRecording } from "./delivery-record.ts";
import type { DeliveryRecording, RecordingContext } from "./delivery-record.ts";
import { keyFromBody, keyFromHead } from "./identify-delivery.ts";
import type { DeliveryKey } from "./identify-delivery.ts";
import { IncomingBody, SenderGoneError } from "./request-body.ts";
import { createResponderSink } from "./responder-sink.ts";
import type { ResponderSink } from "./responder-sink.ts";

/**
 * How much of a body is read before it is forwarded, in bytes, where the target wants the key in a header and only the body
 * can tell it. Webhook bodies are far smaller; a larger one goes out with a minted key.
 */
const MAX_KEY_SEARCH_BYTES = 1024 * 1024;
const ACCEPTED = { status: 202, statusText: "Accepted" } as const;

export interface DeliveryContext extends RecordingContext {
  readonly forwarder: Forwarder;
  /** Capture and answer 202; nothing is sent to the target. */
  readonly recordOnly: boolean;
}

/** A delivery as the relay hands it over; `first` is the start of its body, all of it when `ended`. */
export interface ArrivedDelivery {
  readonly head: RequestHead;
  readonly stream: ResponderStream;
  readonly first: Uint8Array;
  readonly ended: boolean;
}

/** A delivery in the agent's hands. */
export interface HandledDelivery {
  /** To be told what happens on the stream. */
  readonly handler: StreamHandler;
  /** Resolves once the delivery is answered, or given up, and recorded. Rejects only for a bug. */
  readonly done: Promise<void>;
}

/** Takes a delivery from the relay to the target and its answer back, and records both beside that. */
export function handleDelivery(arrived: ArrivedDelivery, context: DeliveryContext): HandledDelivery {
  const exchange = openExchange(arrived, context);
  const { body, gone, recording, sink } = exchange;
  function takeIn(chunk: Uint8Array): void {
    recording.capture.write(chunk);
    body.push(chunk);
  }
  function finish(trailers: readonly string[]): void {
    body.end(trailers);
    // After this turn: reading the provider off a large body must not hold up the bytes on their way to the target.
    setImmediate(() => recording.recordDelivery());
  }
  function giveUp(): void {
    gone.abort();
    body.fail();
  }
  if (arrived.first.length > 0) {
    takeIn(arrived.first);
  }
  if (arrived.ended) {
    finish([]);
  }
  const handler: StreamHandler = {
    onData: takeIn,
    onEnd: finish,
    onWritable: () => sink.writable(),
    onStop: giveUp,
    onReset: giveUp,
    // Comes after a whole answer too; whatever cuts a delivery short is told by a reset or a stop before.
    onClose: () => {},
  };
  return { handler, done: ownExchange(exchange, context) };
}

interface Exchange {
  readonly arrived: ArrivedDelivery;
  readonly mintedKey: string;
  readonly body: IncomingBody;
  readonly recording: DeliveryRecording;
  readonly sink: ResponderSink;
  /** Aborted once nobody waits for the answer. */
  readonly gone: AbortController;
}

function openExchange(arrived: ArrivedDelivery, context: DeliveryContext): Exchange {
  const body = new IncomingBody(arrived.stream);
  const mintedKey = mintKey(context.now());
  const recording = createDeliveryRecording(
    { head: arrived.head, mintedKey, capture: createBodyCapture(), isWhole: () => body.whole },
    context,
  );
  return {
    arrived,
    mintedKey,
    body,
    recording,
    sink: createResponderSink(arrived.stream),
    gone: new AbortController(),
  };
}

/** The one owner: in the end the stream is over and the delivery recorded, whatever happened. */
async function ownExchange(exchange: Exchange, context: DeliveryContext): Promise<void> {
  const { body, recording } = exchange;
  const { stream } = exchange.arrived;
  const startedAt = context.now();
  try {
    const attempt = await (context.recordOnly
      ? recordWithoutForwarding(exchange, context)
      : forwardDelivery(exchange, context));
    finishStream(stream, attempt.outcome);
  } catch (error) {
    if (!(error instanceof SenderGoneError)) {
      stream.reset("internal", "the agent met a defect");
      throw error;
    }
    const cause = "the sender went away before its request was whole";
    recording.recordAttempt(unsentAttempt(exchange, context, { startedAt, outcome: "cancelled", cause }));
  } finally {
    body.stop();
    recording.recordDelivery();
  }
}

async function forwardDelivery(exchange: Exchange, context: DeliveryContext): Promise<NewAttempt> {
  const { arrived, gone, recording, sink } = exchange;
  const { head } = arrived;
  if (getHeader(head.headers, "upgrade") !== undefined) {
    return refuseUpgrade(exchange, context);
  }
  const { key, body } = await settleKey(exchange, context);
  return attemptDelivery(
    {
      id: head.id,
      method: head.method,
      path: head.target,
      headers: head.headers,
      key: key.key,
      body,
      acknowledges: (status) => recording.identity().profile?.acknowledges(status) ?? isSuccess(status),
      changed: false,
    },
    context.target,
    { trigger: "live", runId: null, sink, signal: gone.signal },
    { forwarder: context.forwarder, history: recording, now: context.now },
  );
}

/** The key that the target is to get, and the body to send, read as far as that took. */
async function settleKey(
  exchange: Exchange,
  context: DeliveryContext,
): Promise<{ readonly key: DeliveryKey; readonly body: RequestBody }> {
  const { arrived, body, mintedKey, recording } = exchange;
  const fromHead = keyFromHead(arrived.head, context.target, mintedKey);
  if (fromHead !== undefined) {
    return { key: fromHead, body: body.whole ? body.takeWhole() : body };
  }
  if (await body.buffered(MAX_KEY_SEARCH_BYTES)) {
    const whole = body.takeWhole();
    return { key: keyFromBody(arrived.head, whole, mintedKey), body: whole };
  }
  const key = keyFromBody(arrived.head, new Uint8Array(), mintedKey);
  recording.setSentKey(key);
  return { key, body };
}

/** An answer at once, in place of a request that would never end: this agent speaks plain HTTP to its target. */
function refuseUpgrade(exchange: Exchange, context: DeliveryContext): NewAttempt {
  const { stream } = exchange.arrived;
  const text = JSON.stringify({
    error: {
      code: "upgrade-unsupported",
      message: "This tunnel does not pass on WebSockets and other upgrades yet.",
      hint: "Connect to the app directly.",
    },
  });
  const headers = ["Content-Type", "application/json", "Content-Length", String(text.length)];
  const head = { status: 501, statusText: "Not Implemented", headers };
  stream.respond(head, { body: Buffer.from(text, "latin1"), end: true });
  const cause = "an upgrade (a WebSocket, say), which is not passed on yet; answered with 501";
  const facts = { startedAt: context.now(), outcome: "cancelled", cause } as const;
  const attempt = unsentAttempt(exchange, context, facts);
  exchange.recording.recordAttempt(attempt);
  return attempt;
}

/** Nobody but the history has the delivery then, so 202 is said only once it is safe there. */
async function recordWithoutForwarding(exchange: Exchange, context: DeliveryContext): Promise<NewAttempt> {
  const { arrived, body, recording } = exchange;
  const startedAt = context.now();
  await body.drain();
  const cause = "--record-only: nothing was sent to the target";
  const attempt = unsentAttempt(exchange, context, { startedAt, outcome: "recorded", cause });
  recording.recordAttempt(attempt);
  if (!(await recording.isSafe())) {
    arrived.stream.reset("agent-unable", "the history did not take the delivery");
    return attempt;
  }
  const text = JSON.stringify({ recorded: true, delivery: arrived.head.id });
  const headers = ["Content-Type", "application/json", "Content-Length", String(text.length)];
  arrived.stream.respond({ ...ACCEPTED, headers }, { body: Buffer.from(text, "latin1"), end: true });
  return attempt;
}

function unsentAttempt(
  { arrived }: Exchange,
  context: DeliveryContext,
  facts: { readonly startedAt: number; readonly outcome: Outcome; readonly cause: string },
): NewAttempt {
  return {
    id: newAttemptId(facts.startedAt),
    deliveryId: arrived.head.id,
    runId: null,
    trigger: "live",
    target: context.target.url,
    startedAt: facts.startedAt,
    durationMs: context.now() - facts.startedAt,
    status: null,
    statusText: null,
    outcome: facts.outcome,
    cause: facts.cause,
    responseHeaders: null,
    responseBody: null,
    sentHeaders: null,
    effects: null,
  };
}

/** What the relay is told when no whole answer came. The words are for its log, so they name nothing of this machine. */
const FAILURES: Readonly<Partial<Record<Outcome, readonly [code: ResetCode, reason: string]>>> = {
  refused: ["target-refused", "the target did not accept the connection"],
  reset: ["target-reset", "the target closed the connection before it answered"],
  timeout: ["target-timeout", "the target did not answer in time"],
  tls: ["target-tls", "the target's TLS certificate was not trusted"],
  "bad-answer": ["target-bad-answer", "the target's answer was not valid HTTP"],
  truncated: ["target-reset", "the target closed the connection in the middle of its answer"],
  cancelled: ["agent-unable", "the agent gave the delivery up"],
};

/** A whole answer has ended the stream already; all else ends it here. */
function finishStream(stream: ResponderStream, outcome: Outcome): void {
  const failure = FAILURES[outcome];
  if (failure !== undefined) {
    stream.reset(...failure);
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
