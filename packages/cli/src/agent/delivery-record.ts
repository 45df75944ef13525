import type { RequestHead } from "@tenfold/protocol";
import { CliError } from "../errors.ts";
import type { BodyCapture } from "../history/capture-body.ts";
import type {
  AttemptRecord,
  CapturedBody,
  DeliveryRecord,
  HistoryStore,
  NewAttempt,
} from "../history/history-store.ts";
import type { Target } from "../forward/target.ts";
import type { AgentEvent } from "./agent-event.ts";
import { identifyDelivery } from "./identify-delivery.ts";
import type { DeliveryIdentity, DeliveryKey } from "./identify-delivery.ts";

/** What the records of one tunnel have in common. */
export interface RecordingContext {
  readonly target: Target;
  readonly secrets: ReadonlyMap<string, readonly string[]>;
  /** Folder that the tunnel was started in. */
  readonly folder: string;
  /** Tunnel name. */
  readonly tunnel: string;
  readonly history: Pick<HistoryStore, "recordDelivery" | "recordAttempt" | "flush">;
  /** ms since the epoch. */
  readonly now: () => number;
  readonly onEvent: (event: AgentEvent) => void;
}

/** The record of one delivery while it passes. Takes place beside the exchange and never throws into it. */
export interface DeliveryRecording {
  /** Bytes of the body as they come in. */
  readonly capture: Pick<BodyCapture, "write">;
  /** The key that was really sent in a key header; it then is the delivery's key, whatever the body says later. */
  setSentKey(key: DeliveryKey): void;
  /** Reads off the delivery what there is so far; later calls give the same. */
  identity(): DeliveryIdentity;
  /** Writes the delivery, once; `whole` tells whether its body is. */
  recordDelivery(): void;
  /** Is all that was written so far safe on the disk? When not, the user has been told why. */
  isSafe(): Promise<boolean>;
  /** Writes an attempt, the delivery first. Returns the attempt's number, 0 when the history did not take it. */
  recordAttempt(attempt: NewAttempt): number;
}

export interface RecordedRequest {
  readonly head: RequestHead;
  readonly mintedKey: string;
  readonly capture: BodyCapture;
  /** Has the whole body come in? */
  readonly isWhole: () => boolean;
}

export function createDeliveryRecording(
  request: RecordedRequest,
  context: RecordingContext,
): DeliveryRecording {
  let sentKey: DeliveryKey | undefined;
  let known: { readonly identity: DeliveryIdentity; readonly body: CapturedBody } | undefined;
  let recorded = false;
  let refused = false;
  function read(): { readonly identity: DeliveryIdentity; readonly body: CapturedBody } {
    known ??= readRequest(request, context, sentKey);
    return known;
  }
  function recordDelivery(): void {
    if (recorded) {
      return;
    }
    recorded = true;
    const { identity, body } = read();
    const delivery = toRecord(request.head, identity, body, context);
    refused = guarded(context, () => context.history.recordDelivery(delivery)) === FAILED;
    context.onEvent({ type: "delivery", delivery });
  }
  return {
    capture: request.capture,
    setSentKey(key) {
      sentKey = key;
    },
    identity: () => read().identity,
    recordDelivery,
    async isSafe() {
      if (refused) {
        return false;
      }
      try {
        await context.history.flush();
        return true;
      } catch (error) {
        if (!(error instanceof CliError)) {
          throw error;
        }
        context.onEvent({ type: "history-failed", error });
        return false;
      }
    },
    recordAttempt(attempt) {
      recordDelivery();
      const taken = guarded(context, () => context.history.recordAttempt(attempt));
      const number = taken === FAILED ? 0 : taken;
      const written: AttemptRecord = { ...attempt, number };
      context.onEvent({ type: "attempt", attempt: written });
      return number;
    },
  };
}

function readRequest(
  { head, mintedKey, capture, isWhole }: RecordedRequest,
  context: RecordingContext,
  sentKey: DeliveryKey | undefined,
): { readonly identity: DeliveryIdentity; readonly body: CapturedBody } {
  const captured = capture.finish();
  const body = isWhole() ? captured : { ...captured, truncated: true };
  const options = { secrets: context.secrets, now: context.now(), mintedKey };
  return { identity: { ...identifyDelivery(head, body, options), ...sentKey }, body };
}

function toRecord(
  head: RequestHead,
  identity: DeliveryIdentity,
  body: CapturedBody,
  context: RecordingContext,
): DeliveryRecord {
  return {
    id: head.id,
    receivedAt: head.receivedAt,
    replayOf: null,
    method: head.method,
    path: head.target,
    headers: head.headers,
    provider: identity.provider,
    event: identity.event,
    key: identity.key,
    keySource: identity.keySource,
    signature: identity.signature,
    target: context.target.url,
    idempotencyHeader: context.target.idempotencyHeader,
    folder: context.folder,
    tunnel: context.tunnel,
    body,
  };
}

const FAILED = Symbol("the history did not take it");

/** A full disk is told to the user; it is no reason to fail a delivery that goes on. */
function guarded<T>(context: RecordingContext, write: () => T): T | typeof FAILED {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof CliError)) {
      throw error;
    }
    context.onEvent({ type: "history-failed", error });
    return FAILED;
  }
}
