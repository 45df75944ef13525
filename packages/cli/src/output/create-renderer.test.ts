import { describe, expect, it } from "vitest";
import { CliError } from "../errors.ts";
import { createRenderer, hasColor } from "./create-renderer.ts";
import { CapturedStream } from "./testing/captured-stream.ts";

const terminal = { isTTY: true };
const file = { isTTY: false };

describe("colour", () => {
  it.each([
    ["a terminal has it", terminal, {}, true, true],
    ["a file has none", file, {}, true, false],
    ["NO_COLOR takes it away", terminal, { NO_COLOR: "1" }, true, false],
    ["an empty NO_COLOR does not", terminal, { NO_COLOR: "" }, true, true],
    ["a dumb terminal has none", terminal, { TERM: "dumb" }, true, false],
    [
      "FORCE_COLOR gives it to a file, also against NO_COLOR",
      file,
      { FORCE_COLOR: "1", NO_COLOR: "1" },
      true,
      true,
    ],
    ["FORCE_COLOR=0 takes it away", terminal, { FORCE_COLOR: "0" }, true, false],
    ["--no-color wins over all", terminal, { FORCE_COLOR: "1" }, false, false],
  ])("%s", (_title, stream, env, color, expected) => {
    expect(hasColor(stream, { env, color })).toBe(expected);
  });

  it("is decided for stdout and stderr each on its own", () => {
    const stdout = new CapturedStream({ isTTY: true });
    const stderr = new CapturedStream();
    const renderer = createRenderer({ stdout, stderr, env: {}, json: false, quiet: false, color: true });
    renderer.event({ type: "tunnel.ready", url: "http://a.test", target: "t", relay: "r", name: "n" });
    renderer.error(new CliError("usage", "no", { hint: "yes" }));
    expect(stdout.text).toContain("\u001b[1m");
    expect(stderr.text).toBe("error: no\nhint: yes\n");
  });
});
