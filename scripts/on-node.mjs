// Runs the end-to-end tests on another Node, with an install of its own: native modules built for one Node don't load in
// another. Works on a copy of the tree in a temporary folder, so that this checkout's own install stays as it is.
//
//   node scripts/on-node.mjs 24.21.0 [vitest arguments …]
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const [version, ...vitestArgs] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/u.test(version ?? "")) {
  console.error("on-node: which Node? Give an exact version of npm's package `node`: on-node.mjs 24.21.0");
  process.exit(2);
}

const folder = mkdtempSync(path.join(os.tmpdir(), "tenfold-node-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const node = installNode(path.join(folder, "node"));
const checkout = path.join(folder, "checkout");
copyTree(checkout);
const headers = headersOf(node);

const environment = {
  ...process.env,
  PATH: `${path.join(node, "bin")}${path.delimiter}${process.env.PATH}`,
  // Another Node's headers would build modules that this one can't load.
  ...(headers ? { npm_config_nodedir: headers } : {}),
};
run("node", ["--version"], { cwd: checkout, env: environment });
run("node", ["scripts/setup.mjs", "--build"], { cwd: checkout, env: environment });
run("node", ["scripts/vitest.mjs", "--project", "e2e", ...vitestArgs], { cwd: checkout, env: environment });

/** Installs npm's package `node` and returns its folder, which has `bin/node` in it. */
function installNode(into) {
  mkdirSync(into, { recursive: true });
  writeFileSync(path.join(into, "package.json"), JSON.stringify({ private: true }));
  run("npm", ["install", "--no-audit", "--no-fund", "--no-package-lock", `node@${version}`], { cwd: into });
  return path.join(into, "node_modules", "node");
}

/** The package for this machine's architecture brings the C++ headers; undefined where it does not. */
function headersOf(nodePackage) {
  const modules = path.join(nodePackage, "node_modules");
  const folders = existsSync(modules) ? readdirSync(modules) : [];
  return folders
    .map((name) => path.join(modules, name))
    .find((candidate) => existsSync(path.join(candidate, "include", "node", "node.h")));
}

/** Everything that git would commit, as it is now. */
function copyTree(into) {
  const list = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (list.status !== 0) fail("git could not list the files of this checkout.", list.stderr);
  for (const file of list.stdout.split("\0").filter(Boolean)) {
    const source = path.join(root, file);
    if (existsSync(source)) cpSync(source, path.join(into, file));
  }
}

function run(command, args, options) {
  const shell = process.platform === "win32";
  const result = spawnSync(command, args, { stdio: "inherit", shell, ...options });
  if (result.status !== 0) {
    fail(
      `\`${command} ${args.join(" ")}\` ended with ${result.error?.message ?? `exit code ${result.status}`}.`,
    );
  }
}

function fail(message, details = "") {
  console.error(`on-node: ${message}\n${details}`);
  process.exit(1);
}
