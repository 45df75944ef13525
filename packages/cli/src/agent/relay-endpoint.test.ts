import { describe, expect, it } from "vitest";
import { shownRelayUrl, toRelayEndpoint } from "./relay-endpoint.ts";

describe("toRelayEndpoint", () => {
  it.each([
    ["https://hooks.example.com", "wss://hooks.example.com/_tenfold/agent"],
    ["wss://hooks.example.com/", "wss://hooks.example.com/_tenfold/agent"],
    ["hooks.example.com", "wss://hooks.example.com/_tenfold/agent"],
    ["https://example.com:8443/relay/", "wss://example.com:8443/relay/_tenfold/agent"],
    ["http://127.0.0.1:8787", "ws://127.0.0.1:8787/_tenfold/agent"],
    ["http://localhost:8787", "ws://localhost:8787/_tenfold/agent"],
    ["ws://[::1]:8787", "ws://[::1]:8787/_tenfold/agent"],
  ])("turns %s into %s", (url, endpoint) => {
    expect(toRelayEndpoint(url)).toBe(endpoint);
  });

  it.each([
    "http://hooks.example.com",
    "ws://10.0.0.1:8787",
    "http://127.0.0.1.example.com",
    "http://localhost.example",
  ])("never lets a token cross an open network: %s", (url) => {
    expect(() => toRelayEndpoint(url)).toThrow(
      expect.objectContaining({ code: "plaintext-token", exitCode: 2 }),
    );
  });

  it.each(["ftp://example.com", "https://", "http://a b", "://x"])("refuses %s as a usage error", (url) => {
    expect(() => toRelayEndpoint(url)).toThrow(expect.objectContaining({ code: "usage", exitCode: 2 }));
  });
});

it("a relay URL is shown without the password that may stand in it", () => {
  expect(shownRelayUrl("https://me:secret@hooks.example.com/x/?token=1")).toBe("https://hooks.example.com/x");
});
