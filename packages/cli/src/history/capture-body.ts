import type { CapturedBody } from "./history-store.ts";

/** Bytes of a body that are kept: 10 MiB, far above any webhook, so that a large upload does not fill memory and history. */
export const CAPTURE_LIMIT_BYTES = 10 * 1024 * 1024;

/** First buffer, in bytes: most webhooks fit, so most bodies are copied once. */
const FIRST_CAPACITY_BYTES = 4 * 1024;

export interface BodyCapture {
  /** Copies the chunk, which may be reused afterwards. */
  write(chunk: Uint8Array): void;
  /** What came so far. */
  finish(): CapturedBody;
}

/** Keeps the first `limitBytes` of a body that passes by, and counts all of it. `Infinity` keeps everything. */
export function createBodyCapture(limitBytes: number = CAPTURE_LIMIT_BYTES): BodyCapture {
  let kept = Buffer.alloc(0);
  let length = 0;
  let size = 0;
  return {
    write(chunk) {
      const taken = Math.min(chunk.length, limitBytes - length);
      if (length + taken > kept.length) {
        kept = grow(kept, length + taken, limitBytes);
      }
      kept.set(chunk.subarray(0, taken), length);
      length += taken;
      size += chunk.length;
    },
    finish: () => ({ bytes: new Uint8Array(kept.subarray(0, length)), size, truncated: size > length }),
  };
}

/** Doubles, so that a body in many small chunks is not copied again for each of them. */
function grow(buffer: Buffer, neededBytes: number, limitBytes: number): Buffer<ArrayBuffer> {
  const capacity = Math.min(Math.max(neededBytes, buffer.length * 2, FIRST_CAPACITY_BYTES), limitBytes);
  const grown = Buffer.alloc(capacity);
  grown.set(buffer);
  return grown;
}
