import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A fresh folder that is gone when the test is over. */
export function createTempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenfold-unit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
