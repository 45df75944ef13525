import { describe, expect, it } from "vitest";
import { CliError } from "../errors.ts";
import { resolveSecrets } from "./secrets.ts";

describe("resolveSecrets", () => {
  it("collects several secrets of one provider, in order, for rotation", () => {
    const secrets = resolveSecrets(["stripe=whsec_new", "Stripe=whsec_old=="], {});
    expect([...secrets]).toEqual([["stripe", ["whsec_new", "whsec_old=="]]]);
  });

  it("reads env:NAME from the environment", () => {
    expect(resolveSecrets(["stripe=env:MINE"], { MINE: "whsec_1" }).get("stripe")).toEqual(["whsec_1"]);
  });

  it("falls back to TENFOLD_SECRET_STRIPE when no flag names the provider", () => {
    const env = { TENFOLD_SECRET_STRIPE: "whsec_env", TENFOLD_SECRET_NOBODY: "x" };
    expect([...resolveSecrets([], env)]).toEqual([["stripe", ["whsec_env"]]]);
    expect(resolveSecrets(["stripe=whsec_flag"], env).get("stripe")).toEqual(["whsec_flag"]);
  });

  it("has none when none are given", () => {
    expect(resolveSecrets([], { TENFOLD_SECRET_STRIPE: "" }).size).toBe(0);
  });

  it.each([
    "whsec_s3cret",
    "=whsec_s3cret",
    "stripe=",
    "nobody=whsec_s3cret",
    "whsec_s3cret=x",
    "stripe=env:UNSET_s3",
  ])("refuses %s without repeating the secret", (flagValue) => {
    let refusal: unknown;
    try {
      resolveSecrets([flagValue], {});
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(CliError);
    const { code, message, hint } = refusal as CliError;
    expect(code).toBe("usage");
    expect(`${message} ${hint}`).not.toContain("s3cret");
  });
});
