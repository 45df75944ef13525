import { describe, expect, it } from "vitest";
import { toPublicHead, toSwitchingHead } from "./response-head.ts";

const GET = { method: "GET", httpVersion: "1.1" };
const head = (status: number, headers: readonly string[] = []) => ({ status, statusText: "", headers });

describe("toPublicHead", () => {
  it.each([
    [200, ["Content-Length", "5"], GET, { kind: "length", bytes: 5 }],
    [200, [], GET, { kind: "chunked" }],
    [200, ["Transfer-Encoding", "chunked"], GET, { kind: "chunked" }],
    [200, [], { method: "GET", httpVersion: "1.0" }, { kind: "close" }],
    [200, ["Content-Length", "5"], { method: "HEAD", httpVersion: "1.1" }, { kind: "none" }],
    [204, [], GET, { kind: "none" }],
    [304, ["Content-Length", "5"], GET, { kind: "none" }],
  ])("frames %i with %j for %j as %j", (status, headers, request, framing) => {
    expect(toPublicHead(head(status, headers), request)?.framing).toEqual(framing);
  });

  it("keeps Trailer only where trailers can follow", () => {
    const fields = ["Trailer", "X-Sum", "X-A", "1"];
    expect(toPublicHead(head(200, fields), GET)?.headers).toEqual(fields);
    expect(toPublicHead(head(204, fields), GET)?.headers).toEqual(["X-A", "1"]);
  });

  it.each([
    [100, []],
    [101, []],
    [199, []],
    [600, []],
    [200, ["Content-Length", "1", "content-length", "1"]],
    [200, ["Content-Length", "-1"]],
    [200, ["Content-Length", "1, 1"]],
    [200, ["Content-Length", "1e3"]],
    [200, ["X-A", "a\r\nX-B: b"]],
    [200, ["X A", "1"]],
    [200, ["X-A"]],
  ])("is no answer: %i with %j", (status, headers) => {
    expect(toPublicHead(head(status, headers), GET)).toBeUndefined();
  });

  it("is no answer with a line break in its reason phrase", () => {
    expect(toPublicHead({ ...head(200), statusText: "OK\r\nX-A: 1" }, GET)).toBeUndefined();
  });
});

describe("toSwitchingHead", () => {
  it("confirms an upgrade with a 101 and nothing else", () => {
    const headers = ["Connection", "keep-alive, upgrade", "Upgrade", "websocket", "Keep-Alive", "5"];
    expect(toSwitchingHead(head(101, headers))?.headers).toEqual([
      "Connection",
      "Upgrade",
      "Upgrade",
      "websocket",
    ]);
    expect(toSwitchingHead(head(200, headers))).toBeUndefined();
  });
});
