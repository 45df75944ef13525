import { randomBytes } from "node:crypto";

/**
 * A source of delivery ids: `dlv_` and the 32 hex digits of a UUIDv7 (RFC 9562 §5.7). Each id sorts after the one before,
 * also within a millisecond and when the clock goes back (§6.2, method 1: the 12 bits after the version are a counter).
 */
export function createDeliveryIds(now: () => number): () => string {
  let timestamp = 0;
  let counter = 0;
  return () => {
    const current = Math.floor(now());
    if (current > timestamp) {
      timestamp = current;
      counter = 0;
    } else if (counter < MAX_COUNTER) {
      counter += 1;
    } else {
      timestamp += 1;
      counter = 0;
    }
    return `dlv_${toUuidDigits(timestamp, counter)}`;
  };
}

const MAX_COUNTER = 0xfff;

function toUuidDigits(timestamp: number, counter: number): string {
  const random = randomBytes(8);
  random.writeUInt8(0x80 | (random.readUInt8(0) & 0x3f), 0);
  return `${hex(timestamp, 12)}7${hex(counter, 3)}${random.toString("hex")}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
