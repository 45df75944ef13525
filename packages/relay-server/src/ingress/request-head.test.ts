import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toForwardedHeaders, toOriginForm, type RequestOrigin } from "./request-head.ts";

const ORIGIN: RequestOrigin = { peerAddress: "192.0.2.7", proto: "http", prefix: undefined, upgrade: false };

const forward = (headers: readonly string[], origin: Partial<RequestOrigin> = {}): readonly string[] =>
  toForwardedHeaders(headers, { ...ORIGIN, ...origin });

const ADDED = ["X-Forwarded-For", "192.0.2.7", "X-Forwarded-Proto", "http"];

describe("toForwardedHeaders", () => {
  it("adds the forwarding fields at the end", () => {
    expect(forward(["Host", "a.example", "X-A", "1"], { prefix: "/t/one" })).toEqual([
      "Host",
      "a.example",
      "X-A",
      "1",
      ...ADDED,
      "X-Forwarded-Host",
      "a.example",
      "X-Forwarded-Prefix",
      "/t/one",
    ]);
  });

  it("joins the peer to the last X-Forwarded-For where it stands", () => {
    expect(
      forward(["x-forwarded-for", "1.1.1.1", "X-A", "1", "X-FORWARDED-FOR", "2.2.2.2, 3.3.3.3", "X-B", "2"]),
    ).toEqual([
      "x-forwarded-for",
      "1.1.1.1",
      "X-A",
      "1",
      "X-FORWARDED-FOR",
      "2.2.2.2, 3.3.3.3, 192.0.2.7",
      "X-B",
      "2",
      "X-Forwarded-Proto",
      "http",
    ]);
  });

  it("believes no Proto, Host or Prefix that the sender claims, and keeps their place", () => {
    expect(
      forward(
        [
          "X-Forwarded-Host",
          "evil",
          "x-forwarded-proto",
          "https",
          "Host",
          "a",
          "X-Forwarded-Prefix",
          "/evil",
        ],
        { prefix: "/t/one" },
      ),
    ).toEqual([
      "X-Forwarded-Host",
      "a",
      "x-forwarded-proto",
      "http",
      "Host",
      "a",
      "X-Forwarded-Prefix",
      "/t/one",
      "X-Forwarded-For",
      "192.0.2.7",
    ]);
  });

  it("shows an IPv4 peer of a dual-stack socket as IPv4", () => {
    expect(forward([], { peerAddress: "::ffff:192.0.2.7" })).toEqual(ADDED);
    expect(forward([], { peerAddress: "2001:db8::1" })).toContain("2001:db8::1");
  });

  it("removes what Connection names in any spelling, but neither Host nor Content-Length", () => {
    expect(
      forward([
        "connection",
        "X-One, host ,CONTENT-length",
        "Connection",
        "x-two",
        "Host",
        "a",
        "x-ONE",
        "1",
        "X-Two",
        "2",
        "Content-Length",
        "0",
      ]),
    ).toEqual(["Host", "a", "Content-Length", "0", ...ADDED, "X-Forwarded-Host", "a"]);
  });

  it("can't be made to drop the forwarding fields by naming them in Connection", () => {
    expect(forward(["Connection", "X-Forwarded-For", "X-Forwarded-For", "1.1.1.1"])).toEqual(ADDED);
  });

  it("leaves what an upgrade needs, and no other option of Connection", () => {
    expect(
      forward(
        ["Connection", "keep-alive, Upgrade, X-Hop", "X-Hop", "1", "Upgrade", "websocket", "Keep-Alive", "5"],
        {
          upgrade: true,
        },
      ),
    ).toEqual(["Connection", "Upgrade", "Upgrade", "websocket", ...ADDED]);
  });

  it("touches no other field, whatever it holds", () => {
    const field = fc.tuple(fc.stringMatching(/^Y-[A-Za-z0-9!#$%&'*+.^_`|~-]{0,12}$/), fc.string());
    fc.assert(
      fc.property(fc.array(field), (fields) => {
        expect(forward(fields.flat())).toEqual([...fields.flat(), ...ADDED]);
      }),
    );
  });
});

describe("toOriginForm", () => {
  it.each([
    ["/a?b", "/a?b"],
    ["//host/x", "//host/x"],
    ["*", "*"],
    ["http://h", "/"],
    ["HTTPS://h:1/a?b", "/a?b"],
    ["http://h?q", "/?q"],
    ["http://u@h//x", "//x"],
    ["example.com:443", undefined],
    ["ftp://h/x", undefined],
    ["http:///x", undefined],
    ["", undefined],
  ])("makes %j to %j", (received, target) => {
    expect(toOriginForm(received)).toBe(target);
  });
});
