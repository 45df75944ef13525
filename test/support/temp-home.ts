import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { TunnelHome } from "./tunnel.ts";

/** A fresh folder that is gone when the test is over. */
export async function createTempFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "tenfold-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A working folder of its own for `tunnel`, with a history of its own. */
export async function createHome(env: Readonly<Record<string, string>> = {}): Promise<TunnelHome> {
  const cwd = await createTempFolder();
  return { cwd, db: path.join(cwd, "history.db"), env };
}
