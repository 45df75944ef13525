import type { ClientRequest, IncomingMessage } from "node:http";
import type { ResponseHead } from "@tenfold/protocol";
import { ForwardError, toForwardFailure } from "./forward-failure.ts";
import type { ForwardRequest, ForwardResult, ResponseSink, StreamingBody } from "./forwarder.ts";
import { createHeadDeadline } from "./head-deadline.ts";
import type { HeadDeadline } from "./head-deadline.ts";
import { pumpBody } from "./pump-body.ts";
import type { TargetConnections } from "./target-connections.ts";
import { answerHeaders } from "./target-headers.ts";
import type { Target } from "./target.ts";

/** The wire protocol carries 100–599 (RFC 9110 §15). */
const HIGHEST_STATUS = 599;
const LOWEST_ERROR_STATUS = 400;

export interface Exchange {
  readonly target: Target;
  readonly request: ForwardRequest;
  readonly sink: ResponseSink;
  readonly connections: TargetConnections;
  /** Aborted when the forwarder closes. */
  readonly closing: AbortSignal;
}

/**
 * The one owner of an exchange with a target: whatever ends it, then its body, clock, listeners and connection end too.
 * The clock runs for the answer head only: after that an answer may take its time, as server-sent events do, and its
 * caller ends it by `signal`.
 */
export async function exchangeWithTarget(exchange: Exchange): Promise<Omit<ForwardResult, "durationMs">> {
  const { target, request, sink, connections } = exchange;
  const failure = createFailure();
  const deadline = createHeadDeadline(target.timeoutMs, () => failure.raise(noAnswer(target.timeoutMs)));
  const bodyOver = new AbortController();
  const answerOver = new AbortController();
  const unwatch = watchSignals([exchange.closing, request.signal], () => failure.raise(cancelled()));
  let outgoing: ClientRequest | undefined;
  let head: ResponseHead | null = null;
  let answered = false;
  try {
    await Promise.race([failure.raised, connections.settle()]);
    outgoing = connections.open(target, request);
    const answering = answerTo(outgoing, failure);
    sendBody(outgoing, request, { deadline, signal: bodyOver.signal, failure });
    const answer = await Promise.race([failure.raised, answering]);
    deadline.clear();
    head = toResponseHead(answer);
    if (wantsNoMoreBody(answer)) {
      bodyOver.abort();
    }
    await Promise.race([failure.raised, passAnswer(answer, head, sink, answerOver.signal)]);
    answered = true;
    return { outcome: "answered", head, cause: null };
  } catch (error) {
    return { ...toForwardFailure(error, head !== null), head };
  } finally {
    unwatch();
    deadline.clear();
    answerOver.abort();
    bodyOver.abort();
    endRequest(outgoing, request, answered);
  }
}

/** A failure that can come from several sides; the first one counts. */
interface Failure {
  readonly raised: Promise<never>;
  raise(error: unknown): void;
}

function createFailure(): Failure {
  let reject: ((error: unknown) => void) | undefined;
  const raised = new Promise<never>((_resolve, rejectRaised) => {
    reject = rejectRaised;
  });
  // It may be raised when nobody waits any more.
  raised.catch(() => {});
  return { raised, raise: (error) => reject?.(error) };
}

function watchSignals(signals: readonly (AbortSignal | undefined)[], onAbort: () => void): () => void {
  const watched = signals.filter((signal) => signal !== undefined);
  for (const signal of watched) {
    signal.addEventListener("abort", onAbort, { once: true });
  }
  if (watched.some((signal) => signal.aborted)) {
    onAbort();
  }
  return () => {
    for (const signal of watched) {
      signal.removeEventListener("abort", onAbort);
    }
  };
}

function answerTo(outgoing: ClientRequest, failure: Failure): Promise<IncomingMessage> {
  // Bounded by bytes already; a bound on the count would cut headers off without a word.
  outgoing.maxHeadersCount = 0;
  outgoing.on("error", (error) => failure.raise(error));
  outgoing.once("upgrade", (_answer, socket) => {
    socket.destroy();
    failure.raise(badAnswer("the target switched protocols though nothing asked it to"));
  });
  return new Promise((resolve) => {
    outgoing.once("response", resolve);
  });
}

interface BodySending {
  readonly deadline: HeadDeadline;
  readonly signal: AbortSignal;
  readonly failure: Failure;
}

function sendBody(outgoing: ClientRequest, request: ForwardRequest, sending: BodySending): void {
  const { body } = request;
  sending.deadline.restart();
  // What goes beyond the announced length would be the target's next request.
  Object.assign(outgoing, { strictContentLength: true });
  if (body instanceof Uint8Array) {
    outgoing.end(body);
    return;
  }
  void pumpIncoming(body, outgoing, sending);
}

async function pumpIncoming(
  body: StreamingBody,
  outgoing: ClientRequest,
  sending: BodySending,
): Promise<void> {
  try {
    if (!(await pumpBody(body, outgoing, sending.deadline, sending.signal))) {
      body.stop();
    }
  } catch {
    // Whatever the reader throws, it means that no whole body comes from there.
    sending.failure.raise(senderGone());
  }
}

/**
 * An error answer on a connection that the target is going to close says that it reads no more (RFC 9112 §9.5). In all
 * other cases the body goes on beside the answer, until the answer is whole.
 */
function wantsNoMoreBody(answer: IncomingMessage): boolean {
  const closes = (answer.headers.connection ?? "").toLowerCase().includes("close");
  return closes && (answer.statusCode ?? 0) >= LOWEST_ERROR_STATUS;
}

function toResponseHead(answer: IncomingMessage): ResponseHead {
  const status = answer.statusCode ?? 0;
  if (status > HIGHEST_STATUS) {
    throw badAnswer(`the answer's status ${status} is not an HTTP status`);
  }
  return { status, statusText: answer.statusMessage ?? "", headers: answerHeaders(answer.rawHeaders) };
}

function passAnswer(
  answer: IncomingMessage,
  head: ResponseHead,
  sink: ResponseSink,
  over: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    sink.setOnWritable(() => answer.resume());
    sink.head(head);
    answer.on("error", reject);
    answer.on("data", (chunk: Uint8Array) => {
      if (!over.aborted && !sink.write(chunk)) {
        answer.pause();
      }
    });
    answer.on("end", () => {
      if (!over.aborted && answer.complete) {
        // First: the end may close the caller's side at once, which must not look like a cancellation.
        resolve();
        sink.end(answer.rawTrailers);
      }
    });
    answer.on("close", () => reject(cutAnswer()));
  });
}

/** A connection is kept only after a whole exchange; in any other state it could carry leftovers into the next one. */
function endRequest(outgoing: ClientRequest | undefined, request: ForwardRequest, answered: boolean): void {
  if (outgoing === undefined) {
    if (!(request.body instanceof Uint8Array)) {
      request.body.stop();
    }
    return;
  }
  if (!answered || !outgoing.writableFinished) {
    outgoing.destroy();
  }
}

function noAnswer(timeoutMs: number): ForwardError {
  return new ForwardError({ outcome: "timeout", cause: `no answer in ${timeoutMs / 1_000} s` });
}

function cancelled(): ForwardError {
  return new ForwardError({ outcome: "cancelled", cause: "cancelled before the answer was whole" });
}

function senderGone(): ForwardError {
  return new ForwardError({
    outcome: "cancelled",
    cause: "the sender went away before its request was whole",
  });
}

function badAnswer(cause: string): ForwardError {
  return new ForwardError({ outcome: "bad-answer", cause });
}

function cutAnswer(): ForwardError {
  return new ForwardError({
    outcome: "truncated",
    cause: "the target closed the connection in the middle of its answer",
  });
}
