import type { HeaderList } from "@tenfold/protocol";
import type { Effects, HistoryStore, NewAttempt, Trigger } from "../history/history-store.ts";
import { createBodyCapture } from "../history/capture-body.ts";
import type { BodyCapture } from "../history/capture-body.ts";
import { newAttemptId } from "../history/ids.ts";
import type { ForwardResult, Forwarder, RequestBody, ResponseSink } from "./forwarder.ts";
import { withKeyHeader } from "./target-headers.ts";
import type { Target } from "./target.ts";

/** The delivery as it is to be sent: bytes and headers of the sender, before the target's own settings. */
export interface OutgoingDelivery {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly headers: HeaderList;
  readonly key: string;
  readonly body: RequestBody;
  /** The provider's rule for success; absent: 2xx. */
  readonly acknowledges?: (status: number) => boolean;
  /** True when `headers` differ from what is stored (signed again, edited): the attempt records them. */
  readonly changed: boolean;
}

export interface AttemptOptions {
  readonly trigger: Trigger;
  readonly runId: string | null;
  /** Where a live answer goes; absent: it is only captured. */
  readonly sink?: ResponseSink;
  readonly signal?: AbortSignal;
  /** Called once before the attempt is recorded: what the probe saw. */
  readonly measureEffects?: () => Promise<Effects | null>;
}

export interface AttemptDeps {
  readonly forwarder: Forwarder;
  readonly history: Pick<HistoryStore, "recordAttempt">;
  readonly now: () => number;
}

const LOWEST_SUCCESS = 200;
const LOWEST_REDIRECT = 300;
const LOWEST_ERROR = 400;

/**
 * Sends a delivery to a target once and records the attempt, exactly once, whatever came of it. Live deliveries, resends,
 * replays, retries and checks all go through here. Never rejects for what the target does.
 *
 * @throws what `measureEffects` or the history throws; the attempt of a failed probe is recorded first, without effects
 */
export async function attemptDelivery(
  delivery: OutgoingDelivery,
  target: Target,
  options: AttemptOptions,
  deps: AttemptDeps,
): Promise<NewAttempt & { readonly number: number }> {
  const startedAt = deps.now();
  const headers = withKeyHeader(delivery.headers, target, delivery.key);
  const capture = createBodyCapture();
  const result = await deps.forwarder.forward(
    target,
    {
      method: delivery.method,
      path: delivery.path,
      headers,
      body: delivery.body,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    },
    capturingSink(capture, options.sink),
  );
  const attempt: NewAttempt = {
    id: newAttemptId(startedAt),
    deliveryId: delivery.id,
    runId: options.runId,
    trigger: options.trigger,
    target: target.url,
    startedAt,
    durationMs: result.durationMs,
    status: result.head?.status ?? null,
    statusText: result.head?.statusText ?? null,
    ...judge(result, delivery.acknowledges),
    responseHeaders: result.head?.headers ?? null,
    responseBody: result.head === null ? null : capture.finish(),
    sentHeaders: delivery.changed || headers !== delivery.headers ? headers : null,
    effects: null,
  };
  return recordWithEffects(attempt, options.measureEffects, deps);
}

function capturingSink(capture: BodyCapture, sink: ResponseSink | undefined): ResponseSink {
  return {
    head: (head) => sink?.head(head),
    write: (chunk) => {
      capture.write(chunk);
      return sink === undefined || sink.write(chunk);
    },
    end: (trailers) => sink?.end(trailers),
    setOnWritable: (listener) => sink?.setOnWritable(listener),
  };
}

function judge(
  result: ForwardResult,
  acknowledges: OutgoingDelivery["acknowledges"],
): Pick<NewAttempt, "outcome" | "cause"> {
  if (result.outcome !== "answered") {
    return { outcome: result.outcome, cause: result.cause };
  }
  const status = result.head?.status ?? 0;
  return isAcknowledged(status, acknowledges)
    ? { outcome: "acknowledged", cause: null }
    : { outcome: "rejected", cause: rejectionCause(status) };
}

/** A redirect is not followed and is no success, whatever a provider's rule says about its number. */
function isAcknowledged(status: number, acknowledges: OutgoingDelivery["acknowledges"]): boolean {
  if (status >= LOWEST_REDIRECT && status < LOWEST_ERROR) {
    return false;
  }
  return acknowledges?.(status) ?? (status >= LOWEST_SUCCESS && status < LOWEST_REDIRECT);
}

function rejectionCause(status: number): string {
  return status >= LOWEST_REDIRECT && status < LOWEST_ERROR
    ? `the handler answered ${status}: a redirect is not followed and acknowledges nothing`
    : `the handler answered ${status}`;
}

async function recordWithEffects(
  attempt: NewAttempt,
  measureEffects: AttemptOptions["measureEffects"],
  { history }: AttemptDeps,
): Promise<NewAttempt & { readonly number: number }> {
  let measured = attempt;
  let number = 0;
  try {
    measured = { ...attempt, effects: (await measureEffects?.()) ?? null };
  } finally {
    number = history.recordAttempt(measured);
  }
  return { ...measured, number };
}
