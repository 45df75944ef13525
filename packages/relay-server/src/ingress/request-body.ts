import type { IncomingMessage } from "node:http";
import type { HeaderList } from "@tenfold/protocol";
import { getHeader } from "@tenfold/providers";
import { FIRST_BODY_BYTES, REST_OF_BODY_BYTES, REST_OF_BODY_MS } from "../limits.ts";

/** Who gets the body while it comes in. */
export interface BodyReader {
  onChunk(chunk: Buffer): void;
  /** The body is whole. */
  onEnd(trailers: HeaderList): void;
  /** It went over the limit; nothing more of it is handed over. */
  onTooLarge(): void;
}

/** What had arrived of a body by the end of the loop turn that brought the head. */
export interface FirstBody {
  readonly bytes: Buffer;
  /** Nothing follows. */
  readonly ended: boolean;
}

export interface RequestBodyOptions {
  /** 0: no limit. */
  readonly maxBytes: number;
  /** The sender waits for an interim 100 before it sends the body. */
  readonly expectsContinue: boolean;
}

/** The body of one request: counted, paused and resumed, and read to a bound when nobody wants it any more. */
export class RequestBody {
  readonly #req: IncomingMessage;
  readonly #maxBytes: number;
  readonly #declaredBytes: number | undefined;
  #reader: BodyReader | undefined;
  #first: Buffer[] = [];
  #received = 0;
  #ended = false;
  #dropping = false;
  /** The sender holds the body back until it is told to continue. */
  #held: boolean;
  #settle: { readonly upTo: number; readonly done: (whole: boolean) => void } | undefined;
  #settled: Promise<boolean> | undefined;

  constructor(req: IncomingMessage, options: RequestBodyOptions) {
    this.#req = req;
    this.#maxBytes = options.maxBytes;
    this.#declaredBytes = declaredBytes(req);
    this.#held = options.expectsContinue;
    req.on("data", this.#onData);
    req.on("end", this.#onEnd);
    req.on("close", this.#onClose);
  }

  /** Whether the sender has nothing more to send. */
  get isWhole(): boolean {
    return this.#ended || this.#req.complete || this.#declaredBytes === 0;
  }

  /** Whether it is known by now that the body is over the limit. */
  get isTooLarge(): boolean {
    return this.#isOver(this.#declaredBytes ?? 0) || this.#isOver(this.#received);
  }

  /** Waits for the end of this loop turn when the body may be small, so that it can ride with the head. */
  async takeFirst(): Promise<FirstBody> {
    const mayBeSmall = (this.#declaredBytes ?? FIRST_BODY_BYTES) <= FIRST_BODY_BYTES;
    if (mayBeSmall && !this.#held && this.#declaredBytes !== 0) {
      await new Promise(setImmediate);
    }
    const arrived = this.#first.reduce((sum, chunk) => sum + chunk.length, 0);
    if (arrived > FIRST_BODY_BYTES) {
      return { bytes: Buffer.alloc(0), ended: false };
    }
    const bytes = Buffer.concat(this.#first);
    this.#first = [];
    // Trailers can't ride with the head: such a body ends in a message of its own.
    const ended = this.#ended && this.#req.rawTrailers.length === 0;
    return { bytes, ended: ended || this.#declaredBytes === 0 };
  }

  /** Hands the body over from here on; chunks that had arrived come at once. */
  pipeTo(reader: BodyReader): void {
    this.#reader = reader;
    const arrived = this.#first;
    this.#first = [];
    for (const chunk of arrived) {
      reader.onChunk(chunk);
    }
    if (this.#ended) {
      reader.onEnd(this.#req.rawTrailers);
    }
  }

  /** The interim 100 was sent: the body comes now. */
  markContinued(): void {
    this.#held = false;
  }

  pause(): void {
    this.#req.pause();
  }

  resume(): void {
    this.#req.resume();
  }

  /** Nobody wants the rest. It stays unread until `settle`. */
  stop(): void {
    this.#dropping = true;
    this.#first = [];
    if (this.#settle === undefined) {
      this.#req.pause();
    } else {
      this.#req.resume();
    }
  }

  /**
   * Waits until the body is whole and was handed over, or dropped after `stop`: at most for the bounds of a rest that
   * hardly anybody wants. False: it is not whole. The bounds run once, from the first call.
   */
  async settle(): Promise<boolean> {
    this.#settled ??= this.#untilSettled();
    return await this.#settled;
  }

  /** Lets go of the request; what is left of the body is Node's to drop. */
  release(): void {
    this.#reader = undefined;
    this.#dropping = true;
    this.#req.off("data", this.#onData);
    this.#req.off("end", this.#onEnd);
    this.#req.off("close", this.#onClose);
    this.#req.resume();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#received += chunk.length;
    if (this.#settle !== undefined && this.#received > this.#settle.upTo) {
      this.#settle.done(false);
    }
    if (this.#dropping) {
      return;
    }
    if (this.#isOver(this.#received)) {
      this.stop();
      this.#reader?.onTooLarge();
    } else if (this.#reader === undefined) {
      this.#first.push(chunk);
    } else {
      this.#reader.onChunk(chunk);
    }
  };

  readonly #onEnd = (): void => {
    this.#ended = true;
    this.#settle?.done(true);
    if (!this.#dropping) {
      this.#reader?.onEnd(this.#req.rawTrailers);
    }
  };

  readonly #onClose = (): void => {
    this.#settle?.done(this.#ended);
  };

  async #untilSettled(): Promise<boolean> {
    if (this.#ended || this.#held || this.#req.destroyed) {
      return this.#ended;
    }
    if (this.#dropping) {
      this.#req.resume();
    }
    let timer: NodeJS.Timeout | undefined;
    const whole = await new Promise<boolean>((done) => {
      this.#settle = { upTo: this.#received + REST_OF_BODY_BYTES, done };
      timer = setTimeout(done, REST_OF_BODY_MS, false);
    });
    clearTimeout(timer);
    return whole;
  }

  #isOver(bytes: number): boolean {
    return this.#maxBytes > 0 && bytes > this.#maxBytes;
  }
}

/** Undefined: chunked, so the length is known at the end only. */
function declaredBytes(req: IncomingMessage): number | undefined {
  if (getHeader(req.rawHeaders, "transfer-encoding") !== undefined) {
    return undefined;
  }
  return Number(getHeader(req.rawHeaders, "content-length") ?? 0);
}
