import { describe, expect, it } from "vitest";
import { maskHeaders } from "./mask-headers.ts";

describe("headers in a view", () => {
  it.each(["Authorization", "cookie", "X-Gitlab-Token", "X-Webhook-Secret", "X-Api-Key", "apikey"])(
    "mask %s",
    (name) => {
      expect(maskHeaders([name, "s3cret"])).toEqual([name, "[masked, 6 bytes]"]);
    },
  );

  it.each(["Stripe-Signature", "Content-Type", "X-Hub-Signature-256"])("show %s", (name) => {
    expect(maskHeaders([name, "token"])).toEqual([name, "token"]);
  });
});
