import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  answerHeaders,
  targetAuthority,
  targetHeaders,
  targetPath,
  withKeyHeader,
} from "./target-headers.ts";
import type { Target } from "./target.ts";

const EMPTY = new Uint8Array();
const STREAM = { chunks: (async function* none() {})(), stop: () => {} };

function target(settings: Partial<Target> = {}): Target {
  return {
    url: "http://127.0.0.1:3000",
    idempotencyHeader: null,
    hostHeader: "preserve",
    timeoutMs: 1_000,
    ...settings,
  };
}

describe("the key header", () => {
  const asking = target({ idempotencyHeader: "X-Idempotency-Key" });

  it("is added at the end, in the user's spelling, only for a target that asks", () => {
    expect(withKeyHeader(["A", "1"], asking, "k")).toEqual(["A", "1", "X-Idempotency-Key", "k"]);
    const headers = ["A", "1"];
    expect(withKeyHeader(headers, target(), "k")).toBe(headers);
  });

  it("of the sender is kept, in any spelling", () => {
    const headers = ["x-idempotency-KEY", "theirs"];
    expect(withKeyHeader(headers, asking, "k")).toBe(headers);
  });
});

describe("the path at a target", () => {
  it.each([
    ["http://h.test", "/hook?a=1&a=2", "/hook?a=1&a=2"],
    ["http://h.test/base", "/hook", "/base/hook"],
    ["http://h.test/base", "/base/hook", "/base/base/hook"],
    ["http://h.test/base", "//x/../y", "/base//x/../y"],
    ["http://h.test/base", "?a", "/base/?a"],
    ["http://[::1]:3000/base", "/%zz", "/base/%zz"],
    ["http://h.test/base", "*", "*"],
  ])("at %s of %s is %s", (url, path, expected) => {
    expect(targetPath(target({ url }), path)).toBe(expected);
  });
});

describe("the fields that frame a request", () => {
  const sent = (headers: readonly string[], body: Uint8Array | typeof STREAM) =>
    targetHeaders(target(), { method: "POST", headers: ["Host", "h.test", ...headers], body }).slice(2);

  it("announce trailers only where the body is chunked", () => {
    expect(sent(["Trailer", "X-T", "A", "1"], new Uint8Array(2))).toEqual(["A", "1", "Content-Length", "2"]);
    expect(sent(["Content-Length", "2", "Trailer", "X-T"], STREAM)).toEqual(["Content-Length", "2"]);
    expect(sent(["Trailer", "X-T"], STREAM)).toEqual(["Trailer", "X-T", "Transfer-Encoding", "chunked"]);
  });

  it("are no length at all where there are two of them", () => {
    expect(sent(["Content-Length", "2", "Content-Length", "3"], STREAM)).toEqual([
      "Transfer-Encoding",
      "chunked",
    ]);
  });

  it("can't be removed by naming them in Connection, neither in a request nor in an answer", () => {
    const headers = ["Connection", "content-length, host, x-a", "Content-Length", "2", "X-A", "1"];
    expect(sent(headers, STREAM)).toEqual(["Content-Length", "2"]);
    expect(answerHeaders(headers)).toEqual(["Content-Length", "2"]);
  });
});

describe("the Host that a target sees", () => {
  const headers = ["A", "1", "hOST", "public.test", "B", "2"];

  it("is the public one, where it stood, unless told otherwise", () => {
    expect(targetHeaders(target(), { method: "GET", headers, body: EMPTY })).toEqual(headers);
  });

  it.each([
    ["http://site.test", "site.test"],
    ["https://site.test", "site.test"],
    ["http://site.test:8080/base", "site.test:8080"],
    ["http://[::1]:3000", "[::1]:3000"],
  ])("is that of %s with rewrite: %s", (url, host) => {
    const rewriting = target({ url, hostHeader: "rewrite" });
    expect(targetAuthority(rewriting)).toBe(host);
    expect(targetHeaders(rewriting, { method: "GET", headers, body: EMPTY })).toEqual([
      "A",
      "1",
      "hOST",
      host,
      "B",
      "2",
    ]);
  });

  it("is a given value", () => {
    const fixed = target({ hostHeader: { value: "app.test" } });
    expect(targetHeaders(fixed, { method: "GET", headers, body: EMPTY })).toEqual([
      "A",
      "1",
      "hOST",
      "app.test",
      "B",
      "2",
    ]);
  });

  it("is the target's own when the sender gave none, since HTTP/1.1 wants one", () => {
    expect(targetHeaders(target(), { method: "GET", headers: ["A", "1"], body: EMPTY })).toEqual([
      "Host",
      "127.0.0.1:3000",
      "A",
      "1",
    ]);
  });
});

describe("hop-by-hop headers", () => {
  const hopByHop = [
    "Connection: keep-alive, X-Drop-Me",
    "X-Drop-Me: 1",
    "Keep-Alive: timeout=5",
    "Proxy-Connection: x",
    "TE: trailers",
    "Upgrade: h2c",
    "Transfer-Encoding: Chunked",
    "connection: x-two",
    "X-Two: 2",
  ].flatMap((line) => line.split(": "));

  it("never reach a target, nor do those that Connection names, nor Expect", () => {
    const headers = ["Host", "h", ...hopByHop, "Expect", "100-continue", "X-Keep", "1", "x-keep", "2"];
    expect(targetHeaders(target(), { method: "GET", headers, body: EMPTY })).toEqual([
      "Host",
      "h",
      "X-Keep",
      "1",
      "x-keep",
      "2",
    ]);
  });

  it("never go back in an answer", () => {
    const headers = ["Set-Cookie", "a", ...hopByHop, "set-cookie", "b", "Trailer", "X-Sum"];
    expect(answerHeaders(headers)).toEqual(["Set-Cookie", "a", "set-cookie", "b", "Trailer", "X-Sum"]);
  });
});

describe("the framing of a body", () => {
  const host = ["Host", "h"];
  function framed(
    method: string,
    headers: readonly string[],
    body: Uint8Array | typeof STREAM,
  ): readonly string[] {
    return targetHeaders(target(), { method, headers: [...host, ...headers], body }).slice(2);
  }

  it.each([
    ["PUT", ["Content-Length", "0"], 0, ["Content-Length", "0"]],
    [
      "POST",
      ["Content-Length", "0", "Content-Type", "a/b"],
      0,
      ["Content-Length", "0", "Content-Type", "a/b"],
    ],
    ["DELETE", [], 0, []],
    ["GET", [], 0, []],
    ["DELETE", ["Content-Length", "0"], 0, ["Content-Length", "0"]],
    ["POST", [], 0, ["Content-Length", "0"]],
    ["POST", [], 3, ["Content-Length", "3"]],
    ["GET", [], 3, ["Content-Length", "3"]],
    ["POST", ["content-LENGTH", "3", "A", "1"], 3, ["content-LENGTH", "3", "A", "1"]],
    ["POST", ["content-LENGTH", "12", "A", "1"], 45, ["content-LENGTH", "45", "A", "1"]],
    ["GET", ["Content-Length", "12"], 0, []],
  ])("of a whole one: %s %j with %i bytes has %j", (method, headers, size, expected) => {
    expect(framed(method, headers, new Uint8Array(size))).toEqual(expected);
  });

  it("in flight keeps the sender's length, else it is chunked", () => {
    expect(framed("POST", ["Content-Length", "5"], STREAM)).toEqual(["Content-Length", "5"]);
    expect(framed("POST", [], STREAM)).toEqual(["Transfer-Encoding", "chunked"]);
  });
});

it("all other headers go to a target as they are, whatever they are", () => {
  const name = fc.stringMatching(/^[A-Za-z0-9-]{1,12}$/).map((text) => `X-${text}`);
  const value = fc.string({
    unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), (pairs) => {
      const headers = ["Host", "h", ...pairs.flat()];
      expect(targetHeaders(target(), { method: "GET", headers, body: EMPTY })).toEqual(headers);
      expect(answerHeaders(headers)).toEqual(headers);
    }),
  );
});
