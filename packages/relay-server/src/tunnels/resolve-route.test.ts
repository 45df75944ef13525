import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EMBEDDED_NAME, resolveRoute } from "./resolve-route.ts";

const DOMAIN = "hooks.example.com";

const byPath = (target: string) => resolveRoute({ target, host: "relay.example.com" }, { routing: "path" });
const byHost = (host: string, target = "/hook") =>
  resolveRoute({ target, host }, { routing: "path", domain: DOMAIN });

describe("resolveRoute by host", () => {
  it.each([
    ["one.hooks.example.com"],
    ["ONE.Hooks.Example.COM"],
    ["one.hooks.example.com:8443"],
    ["one.hooks.example.com."],
    ["one.hooks.example.com.:443"],
  ])("finds the tunnel of %s", (host) => {
    expect(byHost(host)).toEqual({ kind: "tunnel", name: "one", target: "/hook", prefix: undefined });
  });

  it.each(["/", "/healthz", "/t/two/x", "/_tenfold/agent", "//x", "/a/../b", "*"])(
    "gives the tunnel every path of its host as it is: %s",
    (target) => {
      expect(byHost("one.hooks.example.com", target)).toMatchObject({ kind: "tunnel", name: "one", target });
    },
  );

  it.each([
    ["a.b.hooks.example.com"],
    [".hooks.example.com"],
    ["-a.hooks.example.com"],
    ["o_ne.hooks.example.com"],
    ["one..hooks.example.com"],
  ])("finds no tunnel for %s", (host) => {
    expect(byHost(host)).toEqual({ kind: "no-such-tunnel" });
  });

  it.each([
    ["hooks.example.com"],
    ["hooks.example.com:8443"],
    ["evilhooks.example.com"],
    ["one.hooks.example.com.evil.test"],
    ["127.0.0.1:8787"],
    ["[::1]:8787"],
    [""],
  ])("goes by the path for any other host: %s", (host) => {
    expect(byHost(host, "/t/two/x")).toMatchObject({ kind: "tunnel", name: "two", target: "/x" });
    expect(byHost(host, "/healthz")).toEqual({ kind: "health" });
  });
});

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
    expect(byPath(target)).toEqual({
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
    expect(byPath(target)).toEqual({ kind });
  });

  it("gives every byte after the name back as it came", () => {
    fc.assert(
      fc.property(fc.string(), (rest) => {
        expect(byPath(`/t/one/${rest}`)).toMatchObject({ name: "one", target: `/${rest}` });
      }),
    );
  });
});

describe("resolveRoute embedded", () => {
  it.each(["/", "/healthz", "/t/one/x", "//x", "*", "/_tenfold/agent"])(
    "sends %s to the one tunnel as it is",
    (target) => {
      expect(resolveRoute({ target, host: "" }, { routing: "embedded" })).toEqual({
        kind: "tunnel",
        name: EMBEDDED_NAME,
        target,
        prefix: undefined,
      });
    },
  );
});
