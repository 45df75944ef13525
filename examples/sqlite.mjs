// better-sqlite3 in the line that fits this Node: 13 from Node 22.14 on, 12 before. (12 ends the process on Node 24.19 and
// later, 13 on anything older than 22.14.) Your own app has one Node and needs one of the two.
import { createRequire } from "node:module";
import process from "node:process";

const require = createRequire(import.meta.url);

/** @type {typeof import("better-sqlite3")} */
export const Database =
  Number(process.versions.napi) >= 10 ? require("better-sqlite3-13") : require("better-sqlite3");
