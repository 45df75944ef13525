// Runs the tests. `--report FILE` also writes vitest's own JSON report, which the continuous integration counts from.
//
//   node scripts/vitest.mjs [--report FILE] [vitest arguments …]
import { spawnSync } from "node:child_process";
import process from "node:process";

const args = process.argv.slice(2);
const at = args.indexOf("--report");
const report = at === -1 ? process.env.TENFOLD_TEST_REPORT : args.splice(at, 2)[1];
const reporters = report ? ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`] : [];
const result = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...reporters, ...args], {
  stdio: "inherit",
});
process.exit(result.status ?? 1);
