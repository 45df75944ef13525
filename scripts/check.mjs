// All that a machine can say about the sources: format, lint, types, who imports whom, and what nobody uses.
import { spawnSync } from "node:child_process";
import path from "node:path";
import process from "node:process";

const bin = (name) => path.join("node_modules", ".bin", name);
const checks = [
  ["format", bin("oxfmt"), ["--check", "."], "run `npm run format`"],
  ["lint", bin("oxlint"), ["--type-aware", "--deny-warnings", "."], "mend what it names"],
  ["types", bin("tsc"), ["-p", "tsconfig.json"], "mend what it names"],
  [
    "types of the protocol core",
    bin("tsc"),
    ["-p", "packages/protocol/tsconfig.core.json"],
    "the core may use no Node or DOM name: pass it in",
  ],
  [
    "dependency rules",
    bin("depcruise"),
    ["--config", ".dependency-cruiser.mjs", "packages", "test", "examples", "scripts"],
    "the rule's comment in .dependency-cruiser.mjs says what to do instead",
  ],
  ["unused code", bin("knip"), ["--no-progress", "--treat-config-hints-as-errors"], "remove it, or use it"],
];

let failed = 0;
for (const [name, command, args, remedy] of checks) {
  const started = Date.now();
  const result = spawnSync(command, args, { stdio: "inherit", shell: process.platform === "win32" });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  if (result.status === 0) {
    console.log(`ok    ${name} (${seconds} s)`);
  } else {
    failed += 1;
    console.log(`FAIL  ${name} (${seconds} s): ${remedy}`);
  }
}
process.exit(failed === 0 ? 0 : 1);
