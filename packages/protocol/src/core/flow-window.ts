import { ProtocolError } from "./errors.ts";
import { INITIAL_WINDOW_BYTES, MAX_WINDOW_BYTES } from "./limits.ts";

/** What we may still send on one half. */
export class SendWindow {
  #credit: number;

  constructor(initialBytes: number = INITIAL_WINDOW_BYTES) {
    this.#credit = initialBytes;
  }

  get available(): number {
    return this.#credit;
  }

  /** @throws ProtocolError `flow-control` when more is taken than there is: a defect of ours. */
  take(bytes: number): void {
    if (bytes > this.#credit)
      throw new ProtocolError("flow-control", `${bytes} bytes to send with a credit of ${this.#credit}`);
    this.#credit -= bytes;
  }

  /** @throws ProtocolError `flow-control` for a grant beyond `MAX_WINDOW_BYTES`. */
  grant(bytes: number): void {
    if (bytes < 1 || this.#credit + bytes > MAX_WINDOW_BYTES)
      throw new ProtocolError("flow-control", `a grant of ${bytes} bytes on top of ${this.#credit}`);
    this.#credit += bytes;
  }
}

/** What the peer may still send on one half, and what we owe it. */
export class ReceiveWindow {
  readonly #initial: number;
  #credit: number;
  #owed = 0;

  constructor(initialBytes: number = INITIAL_WINDOW_BYTES) {
    this.#initial = initialBytes;
    this.#credit = initialBytes;
  }

  /** @throws ProtocolError `flow-control` when the peer sent more than it was granted. */
  receive(bytes: number): void {
    if (bytes > this.#credit)
      throw new ProtocolError(
        "flow-control",
        `the peer sent ${bytes} bytes with a credit of ${this.#credit}`,
      );
    this.#credit -= bytes;
  }

  /**
   * Notes bytes that left our memory. Returns the credit to grant now, 0 for none: grants go out in halves of the window, so
   * that a long body costs one small message per 128 KiB and never waits for one.
   * @throws ProtocolError `flow-control` for more bytes than came in: a defect of ours, which would undo the bound.
   */
  consume(bytes: number): number {
    if (this.#credit + this.#owed + bytes > this.#initial)
      throw new ProtocolError("flow-control", `${bytes} bytes given back that never came in`);
    this.#owed += bytes;
    if (this.#owed * 2 < this.#initial) return 0;
    const grant = this.#owed;
    this.#owed = 0;
    this.#credit += grant;
    return grant;
  }
}
