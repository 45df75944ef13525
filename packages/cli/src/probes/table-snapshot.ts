import type { SourceChange } from "../history/history-store.ts";
import { fingerprint, serialize } from "./row-hash.ts";
import type { SqlValue } from "./row-hash.ts";

export type RowKey = number | bigint | string;

/** What is known of a table at one moment. */
export interface TableSnapshot {
  readonly count: number;
  /** Fingerprint of each row's contents by its key; null: there were too many, and only `digest` tells whether anything changed. */
  readonly rows: ReadonlyMap<RowKey, string> | null;
  /** Sum of all rows' fingerprints, whatever their order. */
  readonly digest: string;
}

export const EMPTY_TABLE: TableSnapshot = {
  count: 0,
  rows: new Map(),
  digest: digestText(new Uint32Array(4)),
};

/** Takes the rows of a table one by one, up to `maxRows` of them by key. */
export class TableReader {
  readonly #maxRows: number;
  readonly #digest = new Uint32Array(4);
  #rows: Map<RowKey, string> | null;
  #count = 0;

  /** `hasKey` false: the rows have no key that could be read, so that only the digest is kept. */
  constructor(maxRows: number, hasKey: boolean) {
    this.#maxRows = maxRows;
    this.#rows = hasKey ? new Map() : null;
  }

  /** `row` begins with its key, of `keyLength` values; the key counts in the sum, so that two rows can't swap contents unseen. */
  add(row: readonly SqlValue[], keyLength: number): void {
    const print = fingerprint(row);
    for (const index of this.#digest.keys()) {
      this.#digest[index] = (this.#digest[index] ?? 0) + print.readUInt32LE(index * 4);
    }
    this.#count += 1;
    if (this.#count > this.#maxRows) {
      this.#rows = null;
    }
    this.#rows?.set(toRowKey(row, keyLength), fingerprint(row.slice(keyLength)).toString("latin1"));
  }

  finish(): TableSnapshot {
    return { count: this.#count, rows: this.#rows, digest: digestText(this.#digest) };
  }
}

/** What changed in a table; null: nothing. Exact while both snapshots hold the rows by key. */
export function compareTables(
  source: string,
  earlier: TableSnapshot,
  later: TableSnapshot,
): SourceChange | null {
  if (earlier === later || earlier.digest === later.digest) {
    return null;
  }
  return earlier.rows === null || later.rows === null
    ? estimateChange(source, earlier.count, later.count)
    : countChanges(source, earlier.rows, later.rows);
}

/**
 * Rows are told apart by their keys, but a row that only got another rowid is the same row: `INSERT OR REPLACE` writes the
 * same contents anew. Null: nothing but that.
 */
function countChanges(
  source: string,
  earlier: ReadonlyMap<RowKey, string>,
  later: ReadonlyMap<RowKey, string>,
): SourceChange | null {
  const gone = [...earlier].filter(([key, print]) => later.get(key) !== print);
  const come = [...later].filter(([key, print]) => earlier.get(key) !== print);
  const moved = countByPrint(gone.map(([, print]) => print));
  const changed = come.filter(([, print]) => !take(moved, print));
  const left = countByPrint(come.map(([, print]) => print));
  const replaced = new Set(gone.filter(([, print]) => !take(left, print)).map(([key]) => key));
  const updated = changed.filter(([key]) => replaced.has(key)).length;
  const inserted = changed.length - updated;
  const deleted = replaced.size - updated;
  return inserted + updated + deleted === 0 ? null : { source, inserted, updated, deleted };
}

function countByPrint(prints: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const print of prints) {
    counts.set(print, (counts.get(print) ?? 0) + 1);
  }
  return counts;
}

/** Takes one of that print, if there is one left. */
function take(counts: Map<string, number>, print: string): boolean {
  const count = counts.get(print) ?? 0;
  counts.set(print, Math.max(0, count - 1));
  return count > 0;
}

/** The least that must have happened: the contents differ for certain, in how many rows can't be told. */
function estimateChange(source: string, earlier: number, later: number): SourceChange {
  return {
    source,
    inserted: Math.max(0, later - earlier),
    updated: later === earlier ? 1 : 0,
    deleted: Math.max(0, earlier - later),
    approximate: true,
  };
}

/** A rowid as number where that is exact, because a Map of numbers is several times faster. */
function toRowKey(row: readonly SqlValue[], keyLength: number): RowKey {
  const [first] = row;
  if (keyLength !== 1 || typeof first !== "bigint") {
    return serialize(row.slice(0, keyLength));
  }
  const number = Number(first);
  return Number.isSafeInteger(number) ? number : first;
}

function digestText(digest: Uint32Array): string {
  return digest.join(" ");
}
