import { describe, expect, it } from "vitest";
import { findRequestFault } from "./request-fault.ts";

describe("findRequestFault", () => {
  it.each([
    ["1.1", ["Host", "a"], undefined],
    ["1.1", ["Host", ""], undefined],
    ["1.0", [], undefined],
    ["1.1", [], "bad-host"],
    ["1.1", ["Host", "a", "HOST", "a"], "bad-host"],
    ["1.1", ["Host", "a", "Transfer-Encoding", "Chunked"], undefined],
    ["1.1", ["Host", "a", "Transfer-Encoding", "chunked", "Content-Length", "0"], "bad-request"],
    ["1.0", ["Transfer-Encoding", "chunked"], "bad-request"],
    ["1.1", ["Host", "a", "Transfer-Encoding", "gzip, chunked"], "transfer-encoding-unsupported"],
    ["1.1", ["Host", "a", "Transfer-Encoding", "identity"], "transfer-encoding-unsupported"],
  ])("finds in HTTP/%s with %j: %s", (httpVersion, headers, fault) => {
    expect(findRequestFault({ httpVersion, headers })).toBe(fault);
  });
});
