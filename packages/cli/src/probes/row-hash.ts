import { hash } from "node:crypto";

/** A value as SQLite stores it, read with `safeIntegers`. */
export type SqlValue = bigint | number | string | Uint8Array | null;

/** Half of a SHA-256, in bytes: 128 bits, so that no two contents of a row are ever taken for equal. */
const FINGERPRINT_BYTES = 16;

/** A short stand-in for all values of a row. Equal for equal values of equal types, and for no others. */
export function fingerprint(values: readonly SqlValue[]): Buffer {
  return hash("sha256", serialize(values), "buffer").subarray(0, FINGERPRINT_BYTES);
}

/** Unambiguous: each value has its type and, where its end can't be told, its length. */
export function serialize(values: readonly SqlValue[]): string {
  return values.map(serializeValue).join(",");
}

function serializeValue(value: SqlValue): string {
  if (value === null) {
    return "n";
  }
  if (typeof value === "bigint") {
    return `i${value}`;
  }
  if (typeof value === "number") {
    return `r${value}`;
  }
  return typeof value === "string"
    ? `t${value.length}:${value}`
    : `b${value.length}:${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1")}`;
}
