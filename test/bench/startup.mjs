// How long `tunnel --help` takes beside an empty program: the two run in turn, so that a busy machine slows both alike.
//
//   node test/bench/startup.mjs [rounds]      needs a build; exit 1 when a median is over the limit
import { spawnSync } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** Most that a help text may cost, as a multiple of an empty program. */
const LIMIT = 1.5;
const ROUNDS = Number(process.argv[2] ?? 40);

const bin = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../packages/cli/dist/bin.js");
const EMPTY = "node -e 0";
const programs = new Map([
  [EMPTY, ["-e", "0"]],
  ["tunnel --help", [bin, "--help"]],
  ["tunnel replay --help", [bin, "replay", "--help"]],
]);

const times = new Map([...programs.keys()].map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, args] of programs) {
    times.get(name).push(timeOf(args));
  }
}

const base = median(times.get(EMPTY));
let isOver = false;
console.log("program                 median ms   of empty");
for (const [name, values] of times) {
  const ratio = median(values) / base;
  isOver ||= ratio > LIMIT;
  console.log(
    `${name.padEnd(22)} ${median(values).toFixed(1).padStart(10)} ${ratio.toFixed(2).padStart(10)}`,
  );
}
console.log(isOver ? `over the limit of ${LIMIT}` : `within the limit of ${LIMIT}`);
process.exitCode = isOver ? 1 : 0;

function timeOf(args) {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) {
    throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr}`);
  }
  return performance.now() - started;
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
