import { describe, expect, it } from "vitest";
import { hashToken } from "../tokens/hash-token.ts";
import { authenticate } from "./authenticate.ts";

const ann = { id: "ann", sha256: hashToken("a"), names: "*" } as const;
const bob = { id: "bob", sha256: hashToken("b"), names: ["one"] } as const;

describe("authenticate", () => {
  it("finds the grant of a token by its hash", () => {
    expect(authenticate("a", [ann, bob])).toBe(ann);
    expect(authenticate("b", [ann, bob])).toBe(bob);
  });

  it.each(["", "c", "A", hashToken("a")])("knows nobody for %j", (token) => {
    expect(authenticate(token, [ann, bob])).toBeUndefined();
  });

  it("takes any token where none is configured, each as an owner of its own that is not the token", () => {
    const [one, two] = [authenticate("token-1", []), authenticate("token-2", [])];
    expect(one?.names).toBe("*");
    expect(one?.id).not.toBe(two?.id);
    expect(one?.id).toBe(authenticate("token-1", [])?.id);
    expect(JSON.stringify(one)).not.toContain("token-1");
  });

  it("hashes as sha256sum does", () => {
    expect(hashToken("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});
