import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { HistoryStore } from "../history-store.ts";
import { openHistory } from "../open-history.ts";
import type { OpenHistoryOptions } from "../open-history.ts";
import { createTempFolder } from "./temp-folder.ts";

/** A history in a fresh folder, or another one on the same file; closed when the test is over. */
export function openTempHistory(options: Partial<OpenHistoryOptions> = {}): HistoryStore {
  const history = openHistory({ path: join(createTempFolder(), "history.db"), ...options });
  // What a test leaves unwritten on purpose is no failure of the test.
  onTestFinished(() => history.close().catch(() => {}));
  return history;
}
