import { createRequire } from "node:module";
import process from "node:process";
import type BetterSqlite3 from "better-sqlite3";
import { CliError } from "../errors.ts";

/** The first version of Node-API that better-sqlite3 13 loads in: Node 22.14 and later. An older Node crashes on it. */
const NODE_API_OF_13 = 10;

/**
 * better-sqlite3 in the line that fits this Node. There are two because neither runs everywhere: 13 needs Node-API 10, and
 * 12, compiled for Node 24.19 or later, ends the process while a statement is collected (nodejs/node#65446).
 */
export const Sqlite: typeof BetterSqlite3 = loadDriver();

function loadDriver(): typeof BetterSqlite3 {
  const require = createRequire(import.meta.url);
  const isNewNode = Number(process.versions["napi"]) >= NODE_API_OF_13;
  try {
    return (isNewNode ? require("better-sqlite3-13") : require("better-sqlite3")) as typeof BetterSqlite3;
  } catch (error) {
    throw new CliError("no-sqlite", `better-sqlite3 is not installed for Node ${process.versions.node}.`, {
      hint: "Run the install again; where no ready-made binary fits, it needs python3, make and a C++ compiler.",
      cause: error,
    });
  }
}
