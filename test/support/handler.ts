import path from "node:path";
import { Database } from "../../examples/sqlite.mjs";
import { RunningProcess } from "./running-process.ts";
import { environment, repository } from "./tunnel.ts";
import type { TunnelHome } from "./tunnel.ts";

export const STRIPE_SECRET = "whsec_test_dGVuZm9sZCBlbmQgdG8gZW5k";

export interface Handler {
  readonly port: number;
  readonly db: string;
  readonly process: RunningProcess;
  /** Invoices charged so far, in order. */
  charges(): string[];
}

/** Starts one of the example handlers as a process of its own, on its own database. */
export async function startHandler(home: TunnelHome, name: string): Promise<Handler> {
  const db = path.join(home.cwd, `${name}.db`);
  const script = path.join(repository, "examples/handlers", `${name}.mjs`);
  const process_ = new RunningProcess(process.execPath, [script, "--port", "0", "--db", db], {
    cwd: home.cwd,
    env: { ...environment(home), STRIPE_WEBHOOK_SECRET: STRIPE_SECRET },
  });
  const port = await process_.waitFor(
    "the handler's port",
    ({ stdout }) => /listening on (\d+)/u.exec(stdout)?.[1],
  );
  return { port: Number(port), db, process: process_, charges: () => readCharges(db) };
}

function readCharges(file: string): string[] {
  const database = new Database(file, { readonly: true });
  try {
    return (
      database.prepare("SELECT invoice FROM charges ORDER BY rowid").all() as { invoice: string }[]
    ).map((row) => row.invoice);
  } finally {
    database.close();
  }
}
