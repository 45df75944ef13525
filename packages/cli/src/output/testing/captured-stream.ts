import { Writable } from "node:stream";

/** A stream that keeps what is written to it. */
export class CapturedStream extends Writable {
  text = "";
  readonly isTTY: boolean;

  constructor({ isTTY = false }: { readonly isTTY?: boolean } = {}) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
  }

  get lines(): string[] {
    return this.text.split("\n").slice(0, -1);
  }

  /** The lines of `--json`. */
  get events(): Record<string, unknown>[] {
    return this.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  override _write(chunk: unknown, _encoding: BufferEncoding, callback: () => void): void {
    this.text += String(chunk);
    callback();
  }
}
