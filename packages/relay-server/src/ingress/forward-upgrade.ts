import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type {
  RelayMux,
  RequestHead,
  ResetCode,
  ResponseHead,
  StreamHandler,
  TunnelStream,
} from "@tenfold/protocol";
import { LINGER_MS } from "../limits.ts";
import { toOpenFailure, type DeliveryResult } from "./forward-delivery.ts";
import { fromResetCode, PUBLIC_ERRORS, type PublicErrorCode } from "./public-errors.ts";
import { renderHead } from "./render-head.ts";
import { toPublicHead, toSwitchingHead } from "./response-head.ts";
import { sendErrorToSocket } from "./send-error.ts";

/** One request for another protocol on a connection that Node's HTTP server has handed over. */
export interface Upgrade {
  readonly req: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes that came with the request's head. */
  readonly firstBytes: Buffer;
  readonly head: RequestHead;
  readonly mux: Pick<RelayMux, "openStream">;
  /** How long the target may take for its head, in ms. */
  readonly responseTimeoutMs: number;
}

/**
 * Passes bytes both ways untouched, from the request's head on, until both sides have ended or one has gone. The target may
 * also refuse: then its answer goes back as any other and the connection ends.
 */
export async function forwardUpgrade(upgrade: Upgrade): Promise<DeliveryResult> {
  const exchange = new UpgradeExchange(upgrade);
  try {
    return await exchange.run();
  } finally {
    exchange.dispose();
  }
}

class UpgradeExchange {
  readonly #upgrade: Upgrade;
  readonly #closed: Promise<void>;
  #stream: TunnelStream | undefined;
  #headTimer: NodeJS.Timeout | undefined;
  #lingerTimer: NodeJS.Timeout | undefined;
  /** 0: no head was sent. */
  #status = 0;
  #failure: PublicErrorCode | undefined;
  /** The target's half is whole. */
  #ended = false;
  /** The target reads no more. */
  #isStopped = false;

  constructor(upgrade: Upgrade) {
    this.#upgrade = upgrade;
    this.#closed = new Promise((resolve) => {
      upgrade.socket.once("close", resolve);
    });
    // `close` follows and is what counts; without a listener the error would end the process.
    upgrade.socket.on("error", () => undefined);
  }

  async run(): Promise<DeliveryResult> {
    if (this.#upgrade.socket.destroyed) {
      return { status: 0, outcome: "caller-gone" };
    }
    this.#open();
    await this.#closed;
    return this.#result();
  }

  dispose(): void {
    clearTimeout(this.#headTimer);
    clearTimeout(this.#lingerTimer);
    this.#stream?.reset("caller-gone", "the caller went away");
  }

  #open(): void {
    const { mux, head, firstBytes, socket, responseTimeoutMs } = this.#upgrade;
    this.#headTimer = setTimeout(() => {
      this.#fail("target-timeout");
      this.#stream?.reset("target-timeout", "no head in time");
    }, responseTimeoutMs);
    try {
      this.#stream = mux.openStream(head, this.#streamHandler());
    } catch (error) {
      this.#fail(toOpenFailure(error));
      return;
    }
    if (firstBytes.length > 0) {
      socket.unshift(firstBytes);
    }
    this.#passUp(this.#stream);
  }

  #passUp(stream: TunnelStream): void {
    const { socket } = this.#upgrade;
    socket.on("data", (chunk: Buffer) => {
      if (!stream.write(chunk) && !stream.closed && !this.#isStopped) {
        socket.pause();
      }
    });
    socket.on("end", () => stream.end());
  }

  #streamHandler(): StreamHandler {
    const { socket } = this.#upgrade;
    return {
      onResponse: (head) => this.#startAnswer(head),
      onData: (chunk) => socket.write(chunk, () => this.#stream?.consumed(chunk.length)),
      onEnd: () => {
        this.#ended = true;
        socket.end();
        this.#lingerUnlessUpgraded();
      },
      onWritable: () => socket.resume(),
      // What the target does not read is dropped: a full socket would keep the caller's end from being seen.
      onStop: () => {
        this.#isStopped = true;
        socket.resume();
      },
      onReset: (code) => this.#onReset(code),
      onClose: () => this.#closeSoon(),
    };
  }

  #startAnswer(head: ResponseHead): void {
    clearTimeout(this.#headTimer);
    const switching = toSwitchingHead(head);
    if (switching !== undefined) {
      this.#writeHead(switching.status, switching.statusText, switching.headers);
      return;
    }
    // As to HTTP/1.0: without a length the end of the connection is the end of the body.
    const method = this.#upgrade.req.method ?? "";
    const refusal = toPublicHead(head, { method, httpVersion: "1.0" });
    if (refusal === undefined) {
      this.#fail("target-bad-answer");
      this.#stream?.reset("target-bad-answer", "the answer's head is not valid HTTP");
    } else {
      this.#writeHead(refusal.status, refusal.statusText, [...refusal.headers, "Connection", "close"]);
    }
  }

  #writeHead(status: number, statusText: string, headers: readonly string[]): void {
    this.#status = status;
    this.#upgrade.socket.write(renderHead(status, statusText, headers));
  }

  #onReset(code: ResetCode): void {
    this.#fail(fromResetCode(code));
  }

  #fail(code: PublicErrorCode): void {
    const { socket } = this.#upgrade;
    clearTimeout(this.#headTimer);
    if (this.#failure !== undefined || this.#ended) {
      return;
    }
    this.#failure = code;
    if (this.#status === 0) {
      sendErrorToSocket(socket, code);
    } else {
      socket.destroy();
    }
  }

  /** Refused upgrades end with their answer; upgraded protocols may go on with one half closed. */
  #lingerUnlessUpgraded(): void {
    if (this.#status !== SWITCHING_PROTOCOLS) {
      this.#closeSoon();
    }
  }

  #closeSoon(): void {
    const { socket } = this.#upgrade;
    if (this.#failure === undefined && this.#lingerTimer === undefined) {
      socket.end();
      socket.resume();
      this.#lingerTimer = setTimeout(() => socket.destroy(), LINGER_MS);
    }
  }

  #result(): DeliveryResult {
    if (this.#failure !== undefined) {
      return { status: this.#status || PUBLIC_ERRORS[this.#failure].status, outcome: this.#failure };
    }
    return { status: this.#status, outcome: this.#status === 0 ? "caller-gone" : "answered" };
  }
}

const SWITCHING_PROTOCOLS = 101;
