import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CliError } from "../errors.ts";
import { parseTarget } from "./parse-target.ts";

function refusalOf(text: string): CliError {
  try {
    parseTarget(text);
  } catch (error) {
    if (error instanceof CliError) {
      return error;
    }
    throw error;
  }
  throw new Error(`${text} was taken`);
}

/** Undefined for a text that is refused, as it has to be, by a CliError. */
function normalForm(text: string): string | undefined {
  try {
    return parseTarget(text);
  } catch (error) {
    if (error instanceof CliError) {
      return undefined;
    }
    throw error;
  }
}

describe("parseTarget", () => {
  it.each([
    ["3000", "http://localhost:3000"],
    ["80", "http://localhost"],
    ["localhost:3000", "http://localhost:3000"],
    ["LocalHost:3000", "http://localhost:3000"],
    ["127.0.0.1:3000", "http://127.0.0.1:3000"],
    ["[::1]:3000", "http://[::1]:3000"],
    ["http://127.0.0.1:3000/base", "http://127.0.0.1:3000/base"],
    ["http://127.0.0.1:3000/base/", "http://127.0.0.1:3000/base"],
    ["http://localhost:3000/", "http://localhost:3000"],
    ["https://site.test", "https://site.test"],
    ["https://site.test:443", "https://site.test"],
    ["http://site.test:443", "http://site.test:443"],
    ["http://site.test:8080", "http://site.test:8080"],
    ["http://localhost:3000/a/../%2F", "http://localhost:3000/a/../%2F"],
    ["localhost:3000/base", "http://localhost:3000/base"],
  ])("reads %s as %s", (text, expected) => {
    expect(parseTarget(text)).toBe(expected);
  });

  it.each(["0", "65536", "localhost:0", "localhost:65536", "http://localhost:port", "localhost:"])(
    "refuses the port of %s and says the range",
    (text) => {
      const refusal = refusalOf(text);
      expect(refusal.code).toBe("bad-port");
      expect(refusal.exitCode).toBe(2);
      expect(refusal.message).toContain(`"${text}"`);
      expect(refusal.message).toContain("1 to 65535");
    },
  );

  it.each(["abc", "", " ", "ftp://localhost:3000", "localhost", "[::zz]:3000", "http://", "http://a b:3000"])(
    "refuses %j and shows how a target is written",
    (text) => {
      const refusal = refusalOf(text);
      expect(refusal.code).toBe("bad-target");
      expect(refusal.exitCode).toBe(2);
      expect(refusal.message).toContain(`"${text}"`);
      expect(refusal.hint).toContain("[::1]:3000");
    },
  );

  it("shows the brackets that an IPv6 address needs", () => {
    expect(refusalOf("::1:3000").message).toContain("[::1]:3000");
    expect(refusalOf("::1").message).toContain("[::1]:3000");
  });

  it.each(["http://localhost:3000/?a=1", "http://localhost:3000/#x", "localhost:3000?x"])(
    "refuses query and fragment: %s",
    (text) => {
      expect(refusalOf(text).code).toBe("bad-target");
    },
  );

  it.each(["http://me:secret@localhost:3000", "me:secret@localhost:3000"])(
    "refuses user info and does not repeat the password: %s",
    (text) => {
      const refusal = refusalOf(text);
      expect(refusal.code).toBe("bad-target");
      expect(`${refusal.message}${refusal.hint}`).not.toContain("secret");
    },
  );

  it("gives a normal form that it reads as itself, or a CliError, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.ipV6(), fc.nat().map(String)), (text) => {
        const normal = normalForm(text);
        expect(normal === undefined || parseTarget(normal) === normal).toBe(true);
      }),
    );
  });
});
