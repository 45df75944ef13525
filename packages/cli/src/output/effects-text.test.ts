import { describe, expect, it } from "vitest";
import { inserted, NO_EFFECTS, updated } from "../check/testing/facts.ts";
import type { Effects } from "../history/history-store.ts";
import { deedsText, effectsText, sourcesText } from "./effects-text.ts";

const mixed: Effects = {
  total: 6,
  changes: [
    { source: "charges", inserted: 1, updated: 2, deleted: 0 },
    { source: "events", inserted: 2, updated: 0, deleted: 1 },
  ],
};
const many = inserted({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 });
const large: Effects = {
  total: 1,
  changes: [{ source: "log", inserted: 0, updated: 1, deleted: 0, approximate: true }],
};

describe("effects in words", () => {
  it.each([
    [NO_EFFECTS, "no writes", "changed nothing"],
    [inserted({ charges: 1 }), "1 row inserted in charges", "inserted 1 row in charges"],
    [updated("orders", 3), "3 rows updated in orders", "updated 3 rows in orders"],
    [
      mixed,
      "1 row inserted, 2 updated in charges and 2 rows inserted, 1 deleted in events",
      "inserted 1 row in charges and 2 rows in events, updated 2 rows in charges, deleted 1 row in events",
    ],
  ])("name what happened to which table", (effects, passive, active) => {
    expect(effectsText(effects)).toBe(passive);
    expect(deedsText(effects)).toBe(active);
  });

  it("say of a table too large to compare by row what must have happened at least", () => {
    expect(effectsText(large)).toBe("at least 1 row updated in log");
    expect(deedsText(large)).toBe("updated at least 1 row in log");
  });

  it("stay one line, however many tables there are", () => {
    expect(effectsText(many)).toMatch(/in e and changes in 2 more tables$/);
    expect(deedsText(many)).toMatch(/1 row in e, changed 2 more tables$/);
    expect(sourcesText(["a", "b", "c", "d", "e", "f", "g"])).toBe("a, b, c, d, e and 2 more");
  });
});
