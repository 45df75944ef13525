import { describe, expect, it } from "vitest";
import { CliError } from "../errors.ts";
import { parseProbeSpec } from "./probe-spec.ts";

describe("--probe", () => {
  it("takes a SQLite file, relative to the folder", () => {
    expect(parseProbeSpec("sqlite:data/app.db", "/shop")).toEqual({
      kind: "sqlite",
      name: "sqlite:data/app.db",
      path: "/shop/data/app.db",
    });
    expect(parseProbeSpec("sqlite:/var/app.db", "/shop").path).toBe("/var/app.db");
    expect(parseProbeSpec("sqlite:///var/app.db", "/shop").path).toBe("/var/app.db");
    expect(parseProbeSpec("SQLite:app.db", "/shop").path).toBe("/shop/app.db");
  });

  it.each([
    "",
    "app.db",
    "sqlite:",
    "C:\\app.db",
    "postgres://ada:hunter2@db/shop",
    "mongodb:x",
    "\u001b[2Jsqlite",
  ])("refuses %j, says what is supported, and repeats neither passwords nor control characters", (text) => {
    const error = errorOf(() => parseProbeSpec(text, "/shop"));
    expect(error).toMatchObject({ code: "bad-probe", exitCode: 2 });
    expect(error?.hint).toContain("sqlite:FILE");
    for (const hidden of ["hunter2", "\u001b"]) expect(error?.message).not.toContain(hidden);
  });
});

function errorOf(work: () => unknown): CliError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof CliError ? error : undefined;
  }
}
