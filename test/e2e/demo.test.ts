import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { describe, expect, it } from "vitest";
import { processesIn } from "../support/leftovers.ts";
import { createTempFolder } from "../support/temp-home.ts";
import { repository } from "../support/tunnel.ts";

/** What differs from run to run: ports, times, minted ids, spacing that follows their width. */
function normalise(text: string): string {
  const freshKey = /fresh key (evt_\w+)/u.exec(text)?.[1] ?? "no fresh key";
  return text
    .replaceAll(freshKey, "EVT")
    .replaceAll(/tunnel \d{4,5}/gu, "tunnel PORT")
    .replaceAll(/127\.0\.0\.1:\d+/gu, "127.0.0.1:PORT")
    .replaceAll(/\d\d:\d\d:\d\d/gu, "TIME")
    .replaceAll(/\d+ ms/gu, "N ms")
    .replaceAll(/dlv_\w+/gu, "DLV")
    .replaceAll(/[ \t]+/gu, " ")
    .trim();
}

describe("npm run demo", () => {
  it("plays both stories, ends with exit 0, leaves no file and no process behind, and prints what the README shows", async () => {
    const temporary = await createTempFolder();
    const demo = await execa(process.execPath, [path.join(repository, "examples/demo.mjs")], {
      env: { TMPDIR: temporary, HOME: temporary, NO_COLOR: "1" },
      all: true,
      reject: false,
    });

    expect(demo.exitCode, demo.all).toBe(0);
    expect(demo.all).toMatch(/BAD/u);
    expect(demo.all).toMatch(/GOOD/u);
    expect(await readdir(temporary)).toEqual([]);
    expect(await processesIn(temporary)).toEqual([]);
    const readme = await readFile(path.join(repository, "README.md"), "utf8");
    const shown = /```console\n\$ npm run demo\n([\s\S]*?)```/u.exec(readme)?.[1] ?? "";
    expect(normalise(demo.all)).toBe(normalise(shown));
  });
});
