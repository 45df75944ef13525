import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../support/tunnel.ts";

const PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].concat(
  readdirSync(path.join(repository, "docs")).map((name) => `docs/${name}`),
);
const ROOTS = "packages|test|examples|scripts|docs";

function pageText(page: string): string {
  return readFileSync(path.join(repository, page), "utf8");
}

const SOURCES = ["protocol", "providers", "relay-server", "cli"].map((name) => `packages/${name}/src`);

/** Files and folders that a page names in code: `packages/cli/src/errors.ts`, or `replay/resend.ts` below one package's src. */
function namedPaths(text: string): string[] {
  const names = new RegExp(`\`((?:(?:${ROOTS})/[\\w./-]+)|(?:[\\w-]+/)+[\\w.-]+\\.tsx?)\``, "gu");
  return [...text.matchAll(names)].map(([, name = ""]) => name);
}

function isThere(name: string): boolean {
  return ["", ...SOURCES].some((folder) => existsSync(path.join(repository, folder, name)));
}

function links(text: string): string[] {
  return [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/gu)].map(([, target = ""]) => target);
}

function npmScripts(text: string): string[] {
  return [...text.matchAll(/npm (?:run )?(?:--silent )?(demo|test|[a-z]+:?[a-z0-9]*)(?= |`|$)/gmu)]
    .filter(([match]) => /^npm (?:run |test)/u.test(match))
    .map(([, name = ""]) => name);
}

describe.each(PAGES)("%s", (page) => {
  const text = pageText(page);

  it("names files and folders that are there", () => {
    expect(namedPaths(text).filter((name) => !isThere(name))).toEqual([]);
  });

  it("links to pages that are there", () => {
    const folder = path.join(repository, path.dirname(page));
    expect(links(text).filter((target) => !existsSync(path.join(folder, target)))).toEqual([]);
  });

  it("names scripts that package.json has", () => {
    const { scripts } = JSON.parse(pageText("package.json")) as { scripts: Record<string, string> };
    expect(npmScripts(text).filter((name) => !(name in scripts))).toEqual([]);
  });
});
