import { describe, expect, it } from "vitest";
import { toForwardFailure } from "./forward-failure.ts";

function systemError(code: string, fields: Record<string, unknown> = {}): Error {
  return Object.assign(new Error("its text is never looked at"), { code, ...fields });
}

describe("toForwardFailure", () => {
  it.each([
    ["ECONNREFUSED", "refused"],
    ["ENOTFOUND", "refused"],
    ["EHOSTUNREACH", "refused"],
    ["ECONNRESET", "reset"],
    ["EPIPE", "reset"],
    ["ETIMEDOUT", "timeout"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "tls"],
    ["CERT_HAS_EXPIRED", "tls"],
    ["EPROTO", "tls"],
    ["HPE_INVALID_CONSTANT", "bad-answer"],
    ["HPE_HEADER_OVERFLOW", "bad-answer"],
    ["head-too-large", "bad-answer"],
    ["ERR_INVALID_CHAR", "cancelled"],
    ["ESOMETHING", "reset"],
  ])("takes %s before the head as %s, with one line of cause", (code, outcome) => {
    const failure = toForwardFailure(systemError(code), false);
    expect(failure.outcome).toBe(outcome);
    expect(failure.cause).toMatch(/^[^\n]+$/);
  });

  it.each(["ECONNRESET", "EPIPE", "ETIMEDOUT"])("takes %s after the head as a truncated answer", (code) => {
    expect(toForwardFailure(systemError(code), true).outcome).toBe("truncated");
  });

  it("names each address tried once, IPv6 in brackets", () => {
    const attempts = [
      systemError("ECONNREFUSED", { address: "127.0.0.1", port: 3000 }),
      systemError("ECONNREFUSED", { address: "::1", port: 3000 }),
      systemError("ECONNREFUSED", { address: "::1", port: 3000 }),
    ];
    expect(toForwardFailure(new AggregateError(attempts), false).cause).toBe(
      "connection refused at 127.0.0.1:3000 and [::1]:3000: is the app running?",
    );
  });

  it("tells a refusal where one address refused and another does not exist here", () => {
    const attempts = [
      systemError("EADDRNOTAVAIL"),
      systemError("ECONNREFUSED", { address: "127.0.0.1", port: 1 }),
    ];
    expect(toForwardFailure(new AggregateError(attempts), false).cause).toContain(
      "connection refused at 127.0.0.1:1",
    );
  });
});
