import { randomFillSync } from "node:crypto";

/** Ids of one millisecond that stay in order; the next ones borrow the following millisecond. */
const MAX_SEQUENCE = 0xfff;
/** A new millisecond starts in the lower half, so that half of the range is left to count up. */
const SEQUENCE_START_MASK = 0x7ff;
/** RFC 9562 §5.7: 48 bits of milliseconds, which last until the year 10889. */
const MAX_TIME_MS = 2 ** 48 - 1;
const RANDOM_BYTES = 10;

/** `dlv_` and a UUIDv7 without dashes. `now`: ms since the epoch. */
export function newDeliveryId(now: number): string {
  return `dlv_${nextUuid(now)}`;
}

/** `att_` and a UUIDv7 without dashes. `now`: ms since the epoch. */
export function newAttemptId(now: number): string {
  return `att_${nextUuid(now)}`;
}

/** `run_` and a UUIDv7 without dashes. `now`: ms since the epoch. */
export function newRunId(now: number): string {
  return `run_${nextUuid(now)}`;
}

/** The key of a delivery that brings none of its own: a UUIDv7 with dashes. `now`: ms since the epoch. */
export function mintKey(now: number): string {
  const hex = nextUuid(now);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

// One for the process, because ids are promised to be in order across everything that the process makes.
let lastTimeMs = -1;
let sequence = 0;

/** RFC 9562 §5.7 with the counter of §6.2 method 1: in order within the process, also when the clock steps back. */
function nextUuid(now: number): string {
  const random = randomFillSync(Buffer.allocUnsafe(RANDOM_BYTES));
  const timeMs = Math.min(Math.max(0, Math.trunc(now)), MAX_TIME_MS);
  if (timeMs > lastTimeMs) {
    lastTimeMs = timeMs;
    sequence = random.readUInt16BE(0) & SEQUENCE_START_MASK;
  } else if (sequence < MAX_SEQUENCE) {
    sequence += 1;
  } else {
    lastTimeMs += 1;
    sequence = 0;
  }
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeUIntBE(lastTimeMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  random.copy(bytes, 8, 2);
  bytes.writeUInt8(0x80 | ((random[2] ?? 0) & 0x3f), 8);
  return bytes.toString("hex");
}
