// Makes a fresh clone ready: installs when the lockfile changed, builds when a source changed. A second run costs a few
// milliseconds. It needs Node, npm and a C++ compiler; pnpm comes through npx in the one version that the lockfile is for.
//
//   node scripts/setup.mjs [--build] [--quiet]
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const PNPM = "pnpm@12.4.2";
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const quiet = process.argv.includes("--quiet");

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 18)) {
  fail(
    `Node ${process.versions.node} is too old.`,
    "Install Node 20.18 or newer, then run this command again.",
  );
}

// Native modules are built for one Node version: another version needs an install of its own.
const installKey = digest(
  ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"],
  process.versions.modules,
);
step("install", installKey, "Installing (better-sqlite3 may compile for a minute or two)", [
  "--yes",
  PNPM,
  "install",
  "--frozen-lockfile",
]);
if (process.argv.includes("--build")) {
  const buildKey = digest([...sources("packages")], installKey);
  const built = existsSync(path.join(root, "packages/cli/dist/bin.js"));
  step(
    "build",
    built ? buildKey : `${buildKey}-missing`,
    "Building",
    ["--yes", PNPM, "--filter", "tenfold", "run", "build"],
    buildKey,
  );
}

/** Runs `npx …args` unless its stamp says that it was done for this key. */
function step(name, key, title, args, stampValue = key) {
  const stamp = path.join(root, "node_modules", ".tenfold", name);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === key) return;
  if (!quiet) process.stderr.write(`${title} …\n`);
  // A shell finds npx.cmd on Windows; the arguments are constants.
  const result = spawnSync("npx", args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    shell: process.platform === "win32",
    env: { ...process.env, CI: process.env.CI ?? "1" },
  });
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}\n`);
    fail(
      `${title} failed: \`npx ${args.join(" ")}\` ended with ${result.error?.message ?? `exit code ${result.status}`}.`,
      "The output above says why. Installing needs the npm registry and, where no binary of better-sqlite3 fits, python3, make and g++.",
    );
  }
  mkdirSync(path.dirname(stamp), { recursive: true });
  writeFileSync(stamp, stampValue);
}

function digest(files, salt) {
  const hash = createHash("sha256").update(salt);
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(path.join(root, file)));
  return hash.digest("hex");
}

/** Every file that the bundle is made from, in a stable order. */
function* sources(folder) {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!["node_modules", "dist", "test-vectors"].includes(entry.name)) yield* sources(file);
    } else if (/\.(tsx?|json|mjs)$/u.test(entry.name) && !/\.test\.tsx?$/u.test(entry.name)) {
      yield file;
    }
  }
}

function fail(message, hint) {
  process.stderr.write(`setup: ${message}\n${hint}\n`);
  process.exit(1);
}
