import type { IncomingMessage, ServerResponse } from "node:http";
import {
  ProtocolError,
  type HeaderList,
  type RelayMux,
  type RequestHead,
  type ResetCode,
  type ResponseHead,
  type StreamHandler,
  type TunnelStream,
} from "@tenfold/protocol";
import { Answer } from "./answer.ts";
import { fromResetCode, PUBLIC_ERRORS, type PublicErrorCode } from "./public-errors.ts";
import type { BodyReader, FirstBody, RequestBody } from "./request-body.ts";
import { toPublicHead } from "./response-head.ts";
import { sendError } from "./send-error.ts";

/** One request and all that its forwarding needs. */
export interface Delivery {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly head: RequestHead;
  readonly body: RequestBody;
  readonly mux: Pick<RelayMux, "openStream">;
  /** The sender waits for an interim 100. */
  readonly expectsContinue: boolean;
  /** How long the target may leave the relay without a head or any progress of the body, in ms. */
  readonly responseTimeoutMs: number;
}

/** How it ended: by whom the answer was given, or why there is none. */
export interface DeliveryResult {
  /** Status that the caller saw; 0: none. */
  readonly status: number;
  readonly outcome: "answered" | "caller-gone" | PublicErrorCode;
}

/**
 * Passes one delivery to the agent and its answer back, and alone ends both: an error before the answer's head becomes an
 * error answer, a later one breaks the connection, and a caller that goes away resets the stream. Resolves when both are
 * over and nothing of them is left.
 */
export async function forwardDelivery(delivery: Delivery): Promise<DeliveryResult> {
  const exchange = new Exchange(delivery);
  try {
    return await exchange.run();
  } finally {
    exchange.dispose();
  }
}

class Exchange {
  readonly #delivery: Delivery;
  readonly #answer: Answer;
  /** The response is over, whole or not. */
  readonly #closed: Promise<void>;
  #onClosed: () => void = () => undefined;
  #stream: TunnelStream | undefined;
  #headTimer: NodeJS.Timeout | undefined;
  /** The request half waits for the agent's credit, not for the sender. */
  #isBlocked = false;
  #failure: PublicErrorCode | undefined;
  #ending: Promise<void> | undefined;

  constructor(delivery: Delivery) {
    this.#delivery = delivery;
    this.#answer = new Answer(delivery.res);
    this.#closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
    delivery.res.once("close", this.#onClosed);
    // A pipelined response that never had its turn on the socket has no `close` of its own.
    delivery.req.socket.once("close", this.#onClosed);
  }

  async run(): Promise<DeliveryResult> {
    const first = await this.#takeFirst();
    if (first !== undefined) {
      this.#open(first);
    }
    await this.#closed;
    await this.#endRequest();
    await this.#ending;
    return this.#result();
  }

  dispose(): void {
    clearTimeout(this.#headTimer);
    this.#delivery.res.off("close", this.#onClosed);
    this.#delivery.req.socket.off("close", this.#onClosed);
    this.#delivery.body.release();
    this.#stream?.reset("internal", "the relay gave up");
  }

  /** Undefined: the delivery is over before it began. */
  async #takeFirst(): Promise<FirstBody | undefined> {
    const { body, req } = this.#delivery;
    const first = body.isTooLarge ? undefined : await body.takeFirst();
    if (req.socket.destroyed) {
      this.#onClosed();
      return undefined;
    }
    if (body.isTooLarge) {
      this.#fail("too-large");
      return undefined;
    }
    return first;
  }

  #open(first: FirstBody): void {
    const { mux, head, body, res, expectsContinue } = this.#delivery;
    this.#startHeadTimer();
    try {
      const options = { body: first.bytes, end: first.ended };
      this.#stream = mux.openStream(head, this.#streamHandler(), options);
    } catch (error) {
      this.#fail(toOpenFailure(error));
      return;
    }
    if (expectsContinue) {
      res.writeContinue();
      body.markContinued();
    }
    if (!first.ended) {
      body.pipeTo(this.#bodyReader(this.#stream));
    }
  }

  #bodyReader(stream: TunnelStream): BodyReader {
    const { body } = this.#delivery;
    return {
      onChunk: (chunk) => {
        this.#headTimer?.refresh();
        this.#isBlocked = !stream.write(chunk);
        if (this.#isBlocked) {
          body.pause();
        }
      },
      onEnd: (trailers) => {
        this.#headTimer?.refresh();
        stream.end(trailers);
      },
      onTooLarge: () => {
        this.#fail("too-large");
        stream.reset("too-large", "the request's body is over the limit");
      },
    };
  }

  #streamHandler(): StreamHandler {
    const { body } = this.#delivery;
    return {
      onResponse: (head) => this.#startAnswer(head),
      onData: (chunk) => this.#passOn(chunk),
      onEnd: (trailers) => this.#endAnswer(trailers),
      onWritable: () => {
        this.#isBlocked = false;
        this.#headTimer?.refresh();
        body.resume();
      },
      onStop: () => body.stop(),
      onReset: (code) => this.#onReset(code),
      onClose: () => this.#onStreamClose(),
    };
  }

  /** Without any word before it, the stream gave itself up: the request's trailers don't fit on the wire. */
  #onStreamClose(): void {
    if (this.#failure === undefined && this.#ending === undefined) {
      this.#fail("head-too-large");
    }
  }

  #startAnswer(head: ResponseHead): void {
    const { req, res } = this.#delivery;
    clearTimeout(this.#headTimer);
    if (this.#failure !== undefined || res.headersSent) {
      return;
    }
    const publicHead = toPublicHead(head, { method: req.method ?? "", httpVersion: req.httpVersion });
    if (publicHead === undefined) {
      this.#fail("target-bad-answer");
      this.#stream?.reset("target-bad-answer", "the answer's head is not valid HTTP");
      return;
    }
    this.#answer.start(publicHead);
  }

  #passOn(chunk: Uint8Array): void {
    if (!this.#answer.write(chunk, () => this.#stream?.consumed(chunk.length))) {
      this.#fail("target-bad-answer");
      this.#stream?.reset("target-bad-answer", "the answer is longer than announced");
    }
  }

  #endAnswer(trailers: HeaderList): void {
    if (this.#failure !== undefined || !this.#delivery.res.headersSent || !this.#answer.isWhole) {
      this.#fail("target-bad-answer");
      this.#stream?.reset("target-bad-answer", "the answer is shorter than announced");
      return;
    }
    this.#answer.setTrailers(trailers);
    this.#ending = this.#closeAnswer();
  }

  /** A connection that ends with this answer ends after the request: closing on unread bytes could cost the answer. */
  async #closeAnswer(): Promise<void> {
    const { res, body } = this.#delivery;
    if (!res.shouldKeepAlive) {
      await body.settle();
    }
    res.end();
  }

  #onReset(code: ResetCode): void {
    this.#fail(fromResetCode(code));
  }

  /** The first failure counts; one after a whole answer concerns only the request's rest, which `#endRequest` looks after. */
  #fail(code: PublicErrorCode): void {
    const { res, body } = this.#delivery;
    clearTimeout(this.#headTimer);
    if (this.#failure !== undefined || this.#ending !== undefined) {
      body.stop();
      return;
    }
    this.#failure = code;
    if (res.headersSent) {
      body.stop();
      this.#answer.cut();
    } else {
      this.#ending = sendError(res, body, code);
    }
  }

  /** After the response: the request half ends too, by its own end, or at a bound by force. */
  async #endRequest(): Promise<void> {
    const { req, res, body } = this.#delivery;
    const whole = res.writableFinished && (await body.settle());
    if (!whole) {
      this.#stream?.reset("caller-gone", "the caller went away");
      req.socket.destroy();
    }
  }

  #startHeadTimer(): void {
    this.#headTimer = setTimeout(() => {
      const isSenderSilent = !this.#delivery.body.isWhole && !this.#isBlocked;
      this.#fail(isSenderSilent ? "request-timeout" : "target-timeout");
      this.#stream?.reset(isSenderSilent ? "caller-gone" : "target-timeout", "no progress in time");
    }, this.#delivery.responseTimeoutMs);
  }

  #result(): DeliveryResult {
    const { res } = this.#delivery;
    if (this.#failure !== undefined) {
      const status = res.headersSent ? res.statusCode : PUBLIC_ERRORS[this.#failure].status;
      return { status, outcome: this.#failure };
    }
    return res.writableFinished
      ? { status: res.statusCode, outcome: "answered" }
      : { status: res.headersSent ? res.statusCode : 0, outcome: "caller-gone" };
  }
}

/** What the caller is told when no stream could be opened. Anything but the protocol's own refusals is a defect and stays one. */
export function toOpenFailure(error: unknown): PublicErrorCode {
  if (error instanceof ProtocolError) {
    switch (error.code) {
      case "too-many-streams":
        return "too-many-streams";
      case "head-too-large":
        return "head-too-large";
      // The session is just ending, and nothing of the request was sent.
      case "session-not-open":
        return "agent-offline";
      default:
    }
  }
  throw error;
}
