import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** A fresh folder that is gone when the test is over. */
export async function createTempFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "tenfold-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
