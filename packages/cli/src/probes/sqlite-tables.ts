import type Database from "better-sqlite3";
import type { SqlValue } from "./row-hash.ts";
import { TableReader } from "./table-snapshot.ts";
import type { TableSnapshot } from "./table-snapshot.ts";

/** Rows of one table that are compared one by one: about 30 MB of memory and half a second. */
export const MAX_ROWS_BY_KEY = 200_000;
/** The same over all tables: a snapshot, and the one that it is compared with, stay below 200 MB each. */
const MAX_TOTAL_ROWS_BY_KEY = 1_000_000;
/** Rows read without a pause: some 10 ms, so that what else this process does goes on meanwhile. */
const ROWS_A_TURN = 2_000;

interface TableInfo {
  readonly name: string;
  /** 1: WITHOUT ROWID. */
  readonly wr: number;
}

interface ColumnInfo {
  readonly name: string;
  /** Position in the primary key from 1; 0: not part of it. */
  readonly pk: number;
}

/** Each of the tables as it is in the transaction that is open on `db`. Views, virtual tables (but not what they store) and SQLite's own are left out. */
export async function readTables(
  db: Database.Database,
  maxRowsByKey: number,
): Promise<ReadonlyMap<string, TableSnapshot>> {
  const tables = new Map<string, TableSnapshot>();
  let left = MAX_TOTAL_ROWS_BY_KEY;
  for (const table of listTables(db)) {
    const snapshot = await readTable(db, table, Math.min(maxRowsByKey, left));
    left -= snapshot.rows?.size ?? 0;
    tables.set(table.name, snapshot);
  }
  return tables;
}

/**
 * With the tables in which a full text index or an R-tree keeps its contents (`shadow`): those are ordinary ones, while a virtual
 * table itself may need a module that only the handler has. A write to the index shows as writes to them.
 */
function listTables(db: Database.Database): TableInfo[] {
  return db
    .prepare<[], TableInfo>(
      `SELECT name, wr FROM pragma_table_list
       WHERE schema = 'main' AND type IN ('table', 'shadow') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .all();
}

async function readTable(
  db: Database.Database,
  table: TableInfo,
  maxRowsByKey: number,
): Promise<TableSnapshot> {
  const columns = listColumns(db, table.name);
  const keyColumns = keyOf(table, columns);
  const selected = [...keyColumns, ...columns.map(({ name }) => quoted(name))];
  const rows = db
    .prepare<[], SqlValue[]>(`SELECT ${selected.join(", ")} FROM main.${quoted(table.name)}`)
    .raw()
    .safeIntegers()
    .iterate();
  const reader = new TableReader(maxRowsByKey, keyColumns.length > 0);
  let count = 0;
  for (const row of rows) {
    reader.add(row, keyColumns.length);
    count += 1;
    if (count % ROWS_A_TURN === 0) {
      await nextTurn();
    }
  }
  return reader.finish();
}

/** Without generated columns: they follow from the others, and may call functions that only the handler has. */
function listColumns(db: Database.Database, table: string): ColumnInfo[] {
  return db
    .prepare<[string], ColumnInfo>("SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid")
    .all(table);
}

/** What tells the rows of the table apart, as SQL: its primary key without rowid, else the rowid by a name that no column took. */
function keyOf(table: TableInfo, columns: readonly ColumnInfo[]): string[] {
  if (table.wr === 1) {
    return columns.filter(({ pk }) => pk > 0).map(({ name }) => quoted(name));
  }
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  return ["rowid", "_rowid_", "oid"].filter((name) => !taken.has(name)).slice(0, 1);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
