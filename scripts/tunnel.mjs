// `npm run tunnel -- …`: sets up, then is `tunnel` itself, in the folder that npm was called from, so that `sqlite:app.db` means
// the caller's file.
import { spawnSync } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

/** How often to look whether npm is still there, in ms. */
const PARENT_CHECK_MS = 250;

const scripts = path.dirname(fileURLToPath(import.meta.url));
const setup = spawnSync(process.execPath, [path.join(scripts, "setup.mjs"), "--build", "--quiet"], {
  stdio: ["ignore", "inherit", "inherit"],
});
if (setup.status === 0) {
  // npm passes a SIGTERM on to its shell, which ends without a word to us: whoever stops npm means the tunnel.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
  }, PARENT_CHECK_MS).unref();
  process.chdir(process.env.INIT_CWD ?? process.cwd());
  await import(pathToFileURL(path.join(scripts, "../packages/cli/dist/bin.js")).href);
} else {
  process.exitCode = setup.status ?? 1;
}
