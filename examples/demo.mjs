// The whole story in half a minute, with no network and no account: a relay, an agent, a real Stripe handler on its own
// SQLite database, and one signed event, delivered ten times. First to a handler that is wrong, then to one that is right.
// All that it starts is ended, and all that it writes lies in one temporary folder that it removes.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import Stripe from "stripe";

const WAIT_MS = 20_000;
const here = path.dirname(fileURLToPath(import.meta.url));
const tunnelBin = path.join(here, "..", "packages", "cli", "dist", "bin.js");
const folder = mkdtempSync(path.join(tmpdir(), "tenfold-demo-"));
const secret = "whsec_demo_7c1e5f0b9a";
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("TENFOLD_"))),
  STRIPE_WEBHOOK_SECRET: secret,
  TENFOLD_DB: path.join(folder, "history.db"),
};
const color = process.stdout.isTTY && !env.NO_COLOR;
const stripe = new Stripe("sk_test_not_used_for_webhooks");
const running = new Set();
let stopping = false;

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    stopping = true;
    process.exitCode = 130;
    void cleanUp();
  });
}

try {
  process.exitCode = await story();
} catch (error) {
  if (!stopping) {
    process.stderr.write(`demo: ${error.message}\n`);
    process.exitCode = 1;
  }
} finally {
  await cleanUp();
}

async function story() {
  say(bold("One Stripe event, delivered ten times. Nothing leaves this machine."));

  title("1. A handler that never looks at the event id (examples/handlers/stripe-sqlite-naive.mjs)");
  const naive = await play("stripe-sqlite-naive");
  expect(
    naive.exitCode === 1,
    `the naive handler should be found bad (exit 1), but the exit code was ${naive.exitCode}`,
  );

  title(
    "2. A handler that stores the event id under a unique key (examples/handlers/stripe-sqlite-right.mjs)",
  );
  const right = await play("stripe-sqlite-right");
  expect(
    right.exitCode === 0,
    `the right handler should be found good (exit 0), but the exit code was ${right.exitCode}`,
  );

  title(
    "3. The same event replayed as new: a fresh id, signed again. It must be written once more, and only once",
  );
  const fresh = await tunnel(
    "replay last --as-new --times 10 --probe sqlite:stripe-sqlite-right.db --secret stripe=env:STRIPE_WEBHOOK_SECRET",
  );
  expect(fresh === 0, `the replay as new should be found good (exit 0), but the exit code was ${fresh}`);

  say(
    "",
    bold(
      "Your own handler: `npm run tunnel -- 3000`, then `npm run tunnel -- replay last --times 10 --probe sqlite:app.db`.",
    ),
  );
  return 0;
}

/** Captures one event on its way to the handler, then resends it ten times. */
async function play(name) {
  const handler = start(process.execPath, [
    path.join(here, "handlers", `${name}.mjs`),
    "--port",
    "0",
    "--db",
    `${name}.db`,
  ]);
  const port = await waitFor(handler, /listening on (\d+)/u);
  const agent = start(process.execPath, [tunnelBin, port, "--record-only", "--json"]);
  say(`${dim("$")} tunnel ${port} --record-only`);
  const url = await waitFor(agent, /"type":"tunnel\.ready","url":"([^"]+)"/u);

  const event = JSON.stringify(makeEvent(name), null, 2);
  const signature = stripe.webhooks.generateTestHeaderString({ payload: event, secret });
  const answer = await fetch(new URL("/webhooks/stripe", url), {
    method: "POST",
    headers: { "Content-Type": "application/json; charset=utf-8", "Stripe-Signature": signature },
    body: event,
  });
  expect(answer.status === 202, `the relay should record the event (202), but it answered ${answer.status}`);
  say(
    `  Stripe posts ${JSON.parse(event).id} to the tunnel; it is recorded and answered ${answer.status}, not forwarded.`,
  );
  await stop(agent);

  const exitCode = await tunnel(`replay last --times 10 --probe sqlite:${name}.db`);
  return { exitCode };
}

function makeEvent(name) {
  return {
    id: name.endsWith("naive") ? "evt_1QnaiveV4LkdIwHuTenfold1" : "evt_1QrightV4LkdIwHuTenfold1",
    object: "event",
    api_version: "2026-06-24.basil",
    created: Math.floor(Date.now() / 1000),
    type: "invoice.paid",
    data: { object: { id: "in_1Qdemo", object: "invoice", amount_due: 129900, currency: "eur" } },
  };
}

/** Runs a `tunnel` command as a person would, and shows its own output. Resolves with the exit code. */
async function tunnel(commandLine) {
  say(`${dim("$")} tunnel ${commandLine}`);
  const command = start(process.execPath, [tunnelBin, ...commandLine.split(" ")], {
    // Notes go to stderr; on the same stream they stay in their place.
    stdio: ["ignore", process.stdout.fd, process.stdout.fd],
  });
  const exitCode = await command.exited;
  say(dim(`  exit code ${exitCode}`));
  return exitCode;
}

function start(file, args, options = {}) {
  const child = spawn(file, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], ...options });
  const started = { child, output: "" };
  started.exited = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      running.delete(started);
      resolve(code);
    });
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (started.output += text));
  running.add(started);
  return started;
}

/** The first group of `pattern` in the output, as soon as it is there. */
function waitFor(started, pattern) {
  return new Promise((resolve, reject) => {
    const what = `${pattern} in the output of ${started.child.spawnargs.join(" ")}`;
    const giveUp = (why) => reject(new Error(`waited for ${what}, but ${why}:\n${started.output}`));
    const timer = setTimeout(() => giveUp(`${WAIT_MS} ms passed`), WAIT_MS);
    const look = () => {
      const match = pattern.exec(started.output);
      if (match === null) return;
      clearTimeout(timer);
      resolve(match[1]);
    };
    for (const stream of [started.child.stdout, started.child.stderr]) stream.on("data", look);
    started.child.once("close", () => {
      clearTimeout(timer);
      giveUp("it ended");
    });
    started.exited.catch(reject);
    look();
  });
}

async function stop(started) {
  started.child.kill("SIGTERM");
  const timer = setTimeout(() => started.child.kill("SIGKILL"), 5_000);
  await started.exited;
  clearTimeout(timer);
}

async function cleanUp() {
  await Promise.all([...running].map(stop));
  rmSync(folder, { recursive: true, force: true });
}

function expect(holds, message) {
  if (!holds) throw new Error(message);
}

function say(...lines) {
  for (const line of lines) process.stdout.write(`${line}\n`);
}

function title(text) {
  say("", bold(text));
}

function bold(text) {
  return color ? `\u001B[1m${text}\u001B[22m` : text;
}

function dim(text) {
  return color ? `\u001B[2m${text}\u001B[22m` : text;
}
