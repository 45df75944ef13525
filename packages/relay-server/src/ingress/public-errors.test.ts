import { RESET_CODES } from "@tenfold/protocol";
import { describe, expect, it } from "vitest";
import {
  fromResetCode,
  PUBLIC_ERRORS,
  renderError,
  type PublicError,
  type PublicErrorCode,
} from "./public-errors.ts";

const codes = Object.keys(PUBLIC_ERRORS) as PublicErrorCode[];

describe("the relay's own answers", () => {
  it.each(codes)("%s says what happened and what to do next, with the length of its body", (code) => {
    const { status, headers, body } = renderError(code);
    const error: PublicError = PUBLIC_ERRORS[code];
    expect(JSON.parse(body.toString())).toEqual({
      error: { code, message: error.message, hint: error.hint },
    });
    expect(status).toBe(error.status);
    expect(headers.slice(0, 4)).toEqual([
      "Content-Type",
      "application/json",
      "Content-Length",
      String(body.length),
    ]);
    expect(status).toBeGreaterThanOrEqual(400);
  });

  it("ask to come back where it may help: 429 and 503", () => {
    for (const code of codes) {
      const { status, headers } = renderError(code);
      expect(headers.includes("Retry-After")).toBe(status === 429 || status === 503);
    }
  });

  it.each(RESET_CODES.map((code) => [code, fromResetCode(code)] as const))(
    "have a place for %s: %s",
    (_reset, code) => {
      expect(PUBLIC_ERRORS[code].status).toBeGreaterThanOrEqual(400);
    },
  );

  it("tell each place of failure by its status", () => {
    const statusOf = (code: PublicErrorCode): number => PUBLIC_ERRORS[code].status;
    expect(statusOf("no-such-tunnel")).toBe(404);
    expect(statusOf("agent-offline")).toBe(503);
    expect(statusOf("session-lost")).toBe(502);
    expect(statusOf("target-refused")).toBe(502);
    expect(statusOf("target-timeout")).toBe(504);
    expect(statusOf("too-large")).toBe(413);
    expect(statusOf("too-many-streams")).toBe(429);
    expect(statusOf("head-too-large")).toBe(431);
  });
});
