import { expect, it } from "vitest";
import { renderErrorReference } from "./error-reference.ts";

it("docs/errors.md is what the error tables say (after a change: `npm run docs`)", async () => {
  await expect(renderErrorReference()).toMatchFileSnapshot("../../docs/errors.md");
});
