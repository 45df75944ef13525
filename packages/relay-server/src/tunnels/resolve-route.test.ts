import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EMBEDDED_NAME, resolveRoute } from "./resolve-route.ts";

describe("resolveRoute by path", () => {
  it.each([
    ["/t/one", "one", "/"],
    ["/t/one/", "one", "/"],
    ["/t/one?q=1", "one", "/?q=1"],
    ["/t/one?", "one", "/?"],
    ["/t/one/a/../b", "one", "/a/../b"],
    ["/t/one//x", "one", "//x"],
    ["/t/one/%zz?%", "one", "/%zz?%"],
    ["/t/one/t/two", "one", "/t/two"],
  ])("sends %s to %s as %s", (target, name, rest) => {
    expect(resolveRoute(target, "path")).toEqual({
      kind: "tunnel",
      name,
      target: rest,
      prefix: `/t/${name}`,
    });
  });

  it.each([
    ["/healthz", "health"],
    ["/healthz?x", "health"],
    ["/healthz/", "not-found"],
    ["/", "not-found"],
    ["/t", "not-found"],
    ["//t/one", "not-found"],
    ["*", "not-found"],
    ["/t/", "no-such-tunnel"],
    ["/t//one", "no-such-tunnel"],
    ["/t/One/", "no-such-tunnel"],
    ["/t/o%6ee/", "no-such-tunnel"],
    ["/t/../t/one", "no-such-tunnel"],
  ])("finds no tunnel for %s: %s", (target, kind) => {
    expect(resolveRoute(target, "path")).toEqual({ kind });
  });

  it("gives every byte after the name back as it came", () => {
    fc.assert(
      fc.property(fc.string(), (rest) => {
        expect(resolveRoute(`/t/one/${rest}`, "path")).toMatchObject({ name: "one", target: `/${rest}` });
      }),
    );
  });
});

describe("resolveRoute embedded", () => {
  it.each(["/", "/healthz", "/t/one/x", "//x", "*", "/_tenfold/agent"])(
    "sends %s to the one tunnel as it is",
    (target) => {
      expect(resolveRoute(target, "embedded")).toEqual({
        kind: "tunnel",
        name: EMBEDDED_NAME,
        target,
        prefix: undefined,
      });
    },
  );
});
