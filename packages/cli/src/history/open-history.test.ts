import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Sqlite } from "./sqlite-driver.ts";
import { build } from "vite";
import { describe, expect, it } from "vitest";
import { CliError } from "../errors.ts";
import type { CliErrorCode } from "../errors.ts";
import { APPLICATION_ID, SCHEMA_VERSION } from "./migrations.ts";
import { defaultHistoryPath, openHistory, resolveHistoryPath } from "./open-history.ts";
import { sampleAttempt, sampleDelivery } from "./testing/sample-records.ts";
import { createTempFolder } from "./testing/temp-folder.ts";
import { openTempHistory } from "./testing/temp-history.ts";

const PERMISSION_BITS = 0o777;

/** Opens the path, which has to fail, and returns the error. */
function refusal(path: string, readonly = false): CliError {
  try {
    void openHistory({ path, readonly }).close();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error("the file was opened");
}

function expectRefused(path: string, code: CliErrorCode, why: RegExp): void {
  for (const readonly of [false, true]) {
    const error = refusal(path, readonly);
    expect(error).toMatchObject({ code, exitCode: 8 });
    expect(error.message).toContain(path);
    expect(error.message).toMatch(why);
    expect(error.hint).not.toBe("");
  }
}

describe("opening a history", () => {
  it("makes the folders for the user only, and the file, its log and its index too", async () => {
    const folder = createTempFolder();
    const path = join(folder, "deep", "er", "history.db");
    const history = openTempHistory({ path });
    history.recordDelivery(sampleDelivery());
    await history.flush();
    expect(statSync(join(folder, "deep")).mode & PERMISSION_BITS).toBe(0o700);
    for (const suffix of ["", "-wal", "-shm"]) {
      expect(statSync(`${path}${suffix}`).mode & PERMISSION_BITS, suffix).toBe(0o600);
    }
  });

  it("takes over an empty file, and closes it to others", () => {
    const path = join(createTempFolder(), "empty.db");
    writeFileSync(path, "", { mode: 0o644 });
    openTempHistory({ path });
    expect(statSync(path).mode & PERMISSION_BITS).toBe(0o600);
  });

  it("keeps a write-ahead log, so that readers and writers do not wait for each other", () => {
    const { path } = openTempHistory();
    const db = new Sqlite(path, { readonly: true });
    expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(db.pragma("application_id", { simple: true })).toBe(APPLICATION_ID);
    expect(db.pragma("user_version", { simple: true })).toBe(SCHEMA_VERSION);
    db.close();
  });

  it("takes names that SQLite gives a meaning for plain file names", () => {
    const folder = createTempFolder();
    openTempHistory({ path: join(folder, ":memory:") });
    expect(readdirSync(folder)).toContain(":memory:");
  });

  it("finds after close what was written before, in a single file", async () => {
    const path = join(createTempFolder(), "history.db");
    const first = openHistory({ path });
    const delivery = sampleDelivery();
    first.recordDelivery(delivery);
    await first.close();
    await first.close();
    expect(readdirSync(join(path, ".."))).toEqual(["history.db"]);
    expect(openTempHistory({ path }).get(delivery.id)?.key).toBe("evt_1");
  });

  it("works when several processes make the same file at once", async () => {
    const path = join(createTempFolder(), "history.db");
    const moduleUrl = await bundleModule();
    const opened = Array.from({ length: 4 }, () => openInProcess(moduleUrl, path));
    expect(await Promise.all(opened)).toEqual(["opened", "opened", "opened", "opened"]);
  });
});

/** The module as plain JavaScript, which another process can load. */
async function bundleModule(): Promise<string> {
  const folder = createTempFolder();
  symlinkSync(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(folder, "node_modules"));
  await build({
    configFile: false,
    logLevel: "silent",
    build: {
      ssr: fileURLToPath(new URL("open-history.ts", import.meta.url)),
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: { external: [/better-sqlite3/u], output: { entryFileNames: "open-history.mjs" } },
    },
  });
  return pathToFileURL(join(folder, "open-history.mjs")).href;
}

const OPEN = `
  const { openHistory } = await import(process.argv[1]);
  const history = openHistory({ path: process.argv[2] });
  await history.close();
  console.log("opened");`;

async function openInProcess(moduleUrl: string, path: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "-e",
    OPEN,
    moduleUrl,
    path,
  ]);
  return stdout.trim();
}

const WRITE_AND_DIE = `
  const { openHistory } = await import(process.argv[1]);
  const history = openHistory({ path: process.argv[2] });
  const delivery = JSON.parse(process.argv[3]);
  history.recordDelivery({ ...delivery, body: { bytes: Buffer.from("x"), size: 1, truncated: false } });
  await history.flush();
  process.kill(process.pid, "SIGKILL");`;

describe("a process that is killed", () => {
  it("leaves behind all that it had flushed", async () => {
    const path = join(createTempFolder(), "history.db");
    const delivery = sampleDelivery();
    const args = [
      "--input-type=module",
      "-e",
      WRITE_AND_DIE,
      await bundleModule(),
      path,
      JSON.stringify(delivery),
    ];
    await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({ signal: "SIGKILL" });
    expect(readdirSync(join(path, ".."))).toContain("history.db-wal");
    expect(openTempHistory({ path }).get(delivery.id)?.body.bytes).toEqual(Buffer.from("x"));
  });
});

describe("a file that is no history of ours", () => {
  it("is refused when it is no database, and left as it is", () => {
    const folder = createTempFolder();
    const contents = [
      "x",
      "no database ".repeat(1_000),
      "SQLite format 3\0 but only at first sight".repeat(200),
    ];
    for (const [index, content] of contents.entries()) {
      const path = join(folder, `${index}.db`);
      writeFileSync(path, content);
      expectRefused(path, "db-corrupt", /./u);
      expect(readFileSync(path, "utf8")).toBe(content);
    }
    expect(readdirSync(folder)).toHaveLength(contents.length);
  });

  it.each(["delete", "wal"])(
    "is refused when it is another program's (journal: %s), and left as it is",
    (mode) => {
      const folder = createTempFolder();
      const path = join(folder, "songs.db");
      const db = new Sqlite(path);
      db.pragma(`journal_mode = ${mode}`);
      db.exec("CREATE TABLE songs (title TEXT)");
      db.close();
      const before = readFileSync(path);
      expectRefused(path, "db-corrupt", /another program/u);
      expect(readFileSync(path).equals(before)).toBe(true);
      expect(readdirSync(folder)).toEqual(["songs.db"]);
    },
  );

  it("is refused when another program has it open with a log, and neither is changed", () => {
    const path = join(createTempFolder(), "songs.db");
    const db = new Sqlite(path);
    db.pragma("journal_mode = WAL");
    db.exec("CREATE TABLE songs (title TEXT)");
    const before = [readFileSync(`${path}-wal`), statSync(path).mtimeMs, statSync(path).size];
    expectRefused(path, "db-corrupt", /another program/u);
    expect([readFileSync(`${path}-wal`), statSync(path).mtimeMs, statSync(path).size]).toEqual(before);
    db.close();
  });

  it("is refused when a newer version wrote it, and left as it is", async () => {
    const path = join(createTempFolder(), "history.db");
    await openHistory({ path }).close();
    const db = new Sqlite(path);
    db.pragma("user_version = 9999");
    db.pragma("wal_checkpoint(TRUNCATE)");
    const before = readFileSync(path);
    expectRefused(path, "db-newer", /newer/u);
    db.close();
    expectRefused(path, "db-newer", /newer/u);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("is named as damaged when the damage shows only later", async () => {
    const path = join(createTempFolder(), "history.db");
    await openHistory({ path }).close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4_096);
    writeFileSync(path, bytes);
    const history = openTempHistory({ path });
    expect(() => history.list({ limit: 1 })).toThrow(expect.objectContaining({ code: "db-corrupt" }));
  });
});

describe("a place that can't be written", () => {
  it("is refused when it is a folder, or below a file, or where no folder can be made", () => {
    const folder = createTempFolder();
    writeFileSync(join(folder, "file"), "");
    mkdirSync(join(folder, "taken.db"));
    const places = { [join(folder, "taken.db")]: /folder/u, [join(folder, "file", "a", "h.db")]: /file/u };
    for (const [path, why] of Object.entries(places)) {
      const error = refusal(path);
      expect(error).toMatchObject({ code: "db-unwritable", exitCode: 8 });
      expect(error.message).toContain(path);
      expect(error.message).toMatch(why);
      expect(error.hint).toContain("--db");
    }
    expect(readdirSync(folder)).toEqual(["file", "taken.db"]);
  });

  it.skipIf(process.platform === "win32")(
    "is refused when it is a device or on a system's own file system",
    () => {
      expect(refusal("/dev/null").code).toBe("db-unwritable");
      expect(refusal("/proc/tenfold/history.db").code).toBe("db-unwritable");
    },
  );
});

describe("a history that is opened for reading", () => {
  it("is empty where there is no file, and makes none", () => {
    const folder = createTempFolder();
    const history = openTempHistory({ path: join(folder, "a", "history.db"), readonly: true });
    expect(history.list({ limit: 1 })).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("reads what another one writes, and refuses to write", async () => {
    const writing = openTempHistory();
    const reading = openTempHistory({ path: writing.path, readonly: true });
    const delivery = sampleDelivery();
    writing.recordDelivery(delivery);
    await writing.flush();
    expect(reading.get(delivery.id)?.id).toBe(delivery.id);
    expect(() => reading.recordAttempt(sampleAttempt(delivery.id))).toThrow(
      expect.objectContaining({ code: "db-unwritable" }),
    );
  });
});

describe("the place of the history", () => {
  it("is the platform's place for data", () => {
    expect(defaultHistoryPath({}, "linux", "/home/ada")).toBe("/home/ada/.local/share/tenfold/history.db");
    expect(defaultHistoryPath({}, "darwin", "/Users/ada")).toBe(
      "/Users/ada/Library/Application Support/tenfold/history.db",
    );
    expect(defaultHistoryPath({ LOCALAPPDATA: "D:\\Data" }, "win32", "C:\\Users\\ada")).toBe(
      "D:\\Data\\tenfold\\history.db",
    );
    expect(defaultHistoryPath({}, "win32", "C:\\Users\\ada")).toBe(
      "C:\\Users\\ada\\AppData\\Local\\tenfold\\history.db",
    );
  });

  it("follows XDG_DATA_HOME when it is absolute", () => {
    expect(defaultHistoryPath({ XDG_DATA_HOME: "/data" }, "linux", "/home/ada")).toBe(
      "/data/tenfold/history.db",
    );
    expect(defaultHistoryPath({ XDG_DATA_HOME: "data" }, "linux", "/home/ada")).toMatch(
      /^\/home\/ada\/\.local/u,
    );
  });

  it("is what --db says, else TENFOLD_DB, else the default", () => {
    const env = { TENFOLD_DB: "/env.db" };
    expect(resolveHistoryPath("/flag.db", env, "/home/ada")).toBe("/flag.db");
    expect(resolveHistoryPath(undefined, env, "/home/ada")).toBe("/env.db");
    expect(resolveHistoryPath(undefined, { TENFOLD_DB: "" }, "/home/ada", "linux")).toMatch(/^\/home\/ada/u);
  });
});
