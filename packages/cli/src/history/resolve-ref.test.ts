import { describe, expect, it } from "vitest";
import { CliError } from "../errors.ts";
import type { HistoryStore } from "./history-store.ts";
import { SAMPLE_TIME, sampleDelivery } from "./testing/sample-records.ts";
import { openTempHistory } from "./testing/temp-history.ts";

const HERE = "/home/ada/shop";
const ID_A = "dlv_0194aaaa000070008000000000000000";
const ID_B = "dlv_0194aabb000070008000000000000000";

async function historyOf(deliveries: readonly Parameters<typeof sampleDelivery>[0][]): Promise<HistoryStore> {
  const history = openTempHistory();
  for (const [index, changes] of deliveries.entries()) {
    history.recordDelivery(
      sampleDelivery({ receivedAt: SAMPLE_TIME + index, key: `evt_${index}`, ...changes }),
    );
  }
  await history.flush();
  return history;
}

function errorOf(work: () => unknown): CliError {
  try {
    work();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error("expected a CliError");
}

describe("last", () => {
  it("is the newest received delivery of the tunnels started in this folder, and no replay", async () => {
    const history = await historyOf([
      { key: "old" },
      { key: "newest here" },
      { key: "replay", replayOf: ID_A },
      { key: "elsewhere", folder: "/other" },
    ]);
    expect(history.resolve("last", HERE).key).toBe("newest here");
    expect(history.resolve("last~1", HERE).key).toBe("old");
    expect(history.resolve("last~0", HERE).key).toBe("newest here");
  });

  it("is the newest of all where no tunnel was started in this folder", async () => {
    const history = await historyOf([{ key: "one" }, { key: "two", folder: "/other" }]);
    expect(history.resolve("last", "/nowhere").key).toBe("two");
    expect(history.resolve("last~1", "/nowhere").key).toBe("one");
  });

  it("does not reach beyond this folder when it has too few", async () => {
    const history = await historyOf([{ folder: "/other" }, {}]);
    expect(errorOf(() => history.resolve("last~1", HERE))).toMatchObject({
      code: "no-such-delivery",
      exitCode: 5,
    });
  });

  it("says how to capture a delivery while the history is empty", async () => {
    const error = errorOf(() => openTempHistory().resolve("last", HERE));
    expect(error.code).toBe("no-such-delivery");
    expect(error.hint).toContain("tunnel 3000");
  });
});

describe("a name of a delivery", () => {
  it("may be the id or a unique beginning of it, with or without dlv_", async () => {
    const history = await historyOf([{ id: ID_A }, { id: ID_B }]);
    for (const ref of [ID_A, ID_A.slice(4), "dlv_0194aaaa", "0194aaa", "DLV_0194AAAA"]) {
      expect(history.resolve(ref, HERE).id, ref).toBe(ID_A);
    }
  });

  it("is ambiguous with the candidates when several ids begin like that", async () => {
    const history = await historyOf([{ id: ID_A }, { id: ID_B, path: "/\u001b[2J" }]);
    const error = errorOf(() => history.resolve("0194aa", HERE));
    expect(error).toMatchObject({ code: "ambiguous-ref", exitCode: 2 });
    expect(error.details.map((line) => line.split(" ")[0])).toEqual([ID_B, ID_A]);
    expect(error.details.join("")).not.toContain("\u001b");
  });

  it("lists ten candidates at most", async () => {
    const ids = Array.from({ length: 30 }, (_, index) => ({
      id: `dlv_0194aa${String(index).padStart(26, "0")}`,
    }));
    const history = await historyOf(ids);
    const error = errorOf(() => history.resolve("0194", HERE));
    expect(error.details).toHaveLength(10);
    expect(error.message).toContain("more than 10");
  });

  it("is too short with fewer than four characters", async () => {
    const history = await historyOf([{ id: ID_A }]);
    expect(errorOf(() => history.resolve("019", HERE)).code).toBe("no-such-delivery");
    expect(errorOf(() => history.resolve("dlv_019", HERE)).code).toBe("no-such-delivery");
  });

  it("may be the provider's event id: then it is the newest received delivery with it", async () => {
    const history = await historyOf([
      { id: ID_A, key: "evt_9" },
      { id: ID_B, key: "evt_9" },
      { key: "evt_9", replayOf: ID_A },
    ]);
    expect(history.resolve("evt_9", HERE).id).toBe(ID_B);
  });

  it("may be the fresh key of a replay as new", async () => {
    const history = await historyOf([{ id: ID_A }, { key: "evt_fresh", replayOf: ID_A }]);
    expect(history.resolve("evt_fresh", HERE).replayOf).toBe(ID_A);
  });

  it("does not match an id by anything but its characters", async () => {
    const history = await historyOf([{ id: ID_A }]);
    for (const ref of ["%%%%", "____", "*", "", "dlv_", "' OR 1=1 --"]) {
      expect(errorOf(() => history.resolve(ref, HERE)).code, ref).toBe("no-such-delivery");
    }
  });
});
