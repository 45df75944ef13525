import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { bin, repository } from "../support/tunnel.ts";

/** Packages that only some commands need; each costs some ten ms and more at start-up. */
const HEAVY = new Set(["better-sqlite3", "ws", "undici", "ink", "react", "chalk"]);

describe("a help text", () => {
  it("loads no package that only running commands need", () => {
    const loaded = packagesLoadedBy(bin);
    expect(loaded).toContain("commander");
    expect(loaded.filter((name) => HEAVY.has(name))).toEqual([]);
  });
});

/** Every package that the file imports at once, itself or by way of a chunk of the bundle. */
function packagesLoadedBy(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) {
    return [];
  }
  seen.add(file);
  const sources = [...readFileSync(file, "utf8").matchAll(/^import\s[^;]*?["']([^"']+)["'];$/gmu)];
  return sources.flatMap(([, source = ""]) =>
    source.startsWith(".") ? packagesLoadedBy(path.join(path.dirname(file), source), seen) : [source],
  );
}

it("the bundle that is looked at is the one that the package ships", () => {
  const manifest = JSON.parse(readFileSync(path.join(repository, "packages/cli/package.json"), "utf8")) as {
    bin: Record<string, string>;
  };
  expect(bin.endsWith(String(manifest.bin["tunnel"]))).toBe(true);
});
