import { readdir, readlink } from "node:fs/promises";

/** Ids of the processes that run in this folder or below it. Empty where the system has no /proc. */
export async function processesIn(folder: string): Promise<string[]> {
  const ids = await readdir("/proc").then(
    (names) => names.filter((name) => /^\d+$/u.test(name)),
    () => [],
  );
  const folders = await Promise.all(ids.map((id) => readlink(`/proc/${id}/cwd`).catch(() => "")));
  return ids.filter((_, at) => folders[at]?.startsWith(folder) === true);
}
