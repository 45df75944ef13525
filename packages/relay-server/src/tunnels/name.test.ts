import { describe, expect, it } from "vitest";
import { createTunnelName, isTunnelName } from "./name.ts";

describe("isTunnelName", () => {
  it.each(["a", "7", "a-b", "brave-otter-4821", "x".repeat(63), "xn--a"])("accepts %s", (name) => {
    expect(isTunnelName(name)).toBe(true);
  });

  it.each(["", "-a", "a-", "-", "A", "a.b", "a_b", "a b", "ä", "a\n", "x".repeat(64), "..", "a/b", "%61"])(
    "refuses %j",
    (name) => {
      expect(isTunnelName(name)).toBe(false);
    },
  );
});

describe("createTunnelName", () => {
  it("is readable and a tunnel name, from the first choice to the last", () => {
    expect(createTunnelName(() => 0)).toBe("amber-badger-1000");
    expect(createTunnelName((below) => below - 1)).toBe("witty-wren-9999");
    expect(isTunnelName(createTunnelName())).toBe(true);
  });
});
