import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { EXIT } from "../errors.ts";
import { openHistory } from "../history/open-history.ts";
import { SAMPLE_TIME, sampleAttempt, sampleBody, sampleDelivery } from "../history/testing/sample-records.ts";
import { createTempFolder } from "../history/testing/temp-folder.ts";
import { createJsonRenderer } from "../output/json-renderer.ts";
import type { Renderer } from "../output/renderer.ts";
import type { Command, CommandContext } from "./command.ts";
import { listCommand } from "./list.ts";
import { showCommand } from "./show.ts";

const SECRET = "Bearer very-secret";
const EVIL = "\u001b]0;owned\u0007";

interface Ran {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly notes: readonly string[];
  readonly rows: readonly string[];
}

/** A history with one old delivery and one that has everything. */
async function createHome(): Promise<{ readonly db: string; readonly id: string }> {
  const db = join(createTempFolder(), "history.db");
  const history = openHistory({ path: db });
  const delivery = sampleDelivery({
    receivedAt: SAMPLE_TIME + 1_000,
    path: `/hook${EVIL}`,
    headers: [
      "Authorization",
      SECRET,
      "COOKIE",
      "a=very-secret",
      "Stripe-Signature",
      "t=1,v1=abc",
      "X-Evil",
      EVIL,
    ],
    body: sampleBody(Uint8Array.of(0x7b, 0x0a, 0x1b, 0x7d)),
    key: "evt_show",
  });
  history.recordDelivery(sampleDelivery({ key: "evt_old" }));
  history.recordDelivery(delivery);
  history.recordAttempt(
    sampleAttempt(delivery.id, {
      effects: { total: 1, changes: [{ source: "charges", inserted: 1, updated: 0, deleted: 0 }] },
    }),
  );
  history.recordAttempt(
    sampleAttempt(delivery.id, {
      trigger: "resend",
      status: null,
      outcome: "refused",
      cause: "nothing listens there",
    }),
  );
  await history.close();
  return { db, id: delivery.id };
}

async function run(
  command: Command,
  db: string,
  args: readonly (string | undefined)[] = [],
  options: Readonly<Record<string, unknown>> = {},
): Promise<Ran> {
  const stdout = new PassThrough();
  const notes: string[] = [];
  const rows: string[] = [];
  const plain: Renderer = {
    event: () => {},
    headline: () => {},
    note: (line) => notes.push(line),
    list: (deliveries) => rows.push(...deliveries.map(({ key }) => key)),
    error: () => {},
  };
  const context: CommandContext = {
    stdout,
    stderr: new PassThrough(),
    env: {},
    cwd: "/home/ada/shop",
    now: () => SAMPLE_TIME,
    signal: new AbortController().signal,
    renderer: options["json"] === true ? createJsonRenderer({ stdout, debug: false }) : plain,
  };
  const work = await command.load();
  const exitCode = await work(context, args, { db, ...options });
  const read: unknown = stdout.read();
  return { exitCode, stdout: Buffer.isBuffer(read) ? read : Buffer.alloc(0), notes, rows };
}

function toObjects(stdout: Buffer): unknown[] {
  return stdout
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

describe("tunnel list", () => {
  it("shows the newest deliveries first, as many as asked", async () => {
    const { db } = await createHome();
    expect((await run(listCommand, db, [], { limit: 20 })).rows).toEqual(["evt_show", "evt_old"]);
    expect((await run(listCommand, db, [], { limit: 1 })).rows).toEqual(["evt_show"]);
  });

  it("is a delivery event a row with --json", async () => {
    const { db } = await createHome();
    const { stdout } = await run(listCommand, db, [], { limit: 20, json: true });
    expect(toObjects(stdout)).toMatchObject([
      { type: "delivery", key: "evt_show" },
      { type: "delivery", key: "evt_old" },
    ]);
  });

  it("is no error while the history is empty, and says how to fill it", async () => {
    const { exitCode, notes } = await run(listCommand, join(createTempFolder(), "history.db"));
    expect(exitCode).toBe(EXIT.good);
    expect(notes.join("")).toContain("tunnel 3000");
  });

  it.each(["0", "-1", "1.5", "many", "10001"])("refuses --limit %s", (text) => {
    const parse = listCommand.options.find(({ flags }) => flags.startsWith("--limit"))?.parse;
    expect(() => parse?.(text, undefined)).toThrow(expect.objectContaining({ code: "usage" }));
  });
});

describe("tunnel show", () => {
  it("shows head, headers, body and attempts of the last delivery", async () => {
    const { db, id } = await createHome();
    const text = (await run(showCommand, db, [undefined])).stdout.toString();
    for (const part of [id, "evt_show (provider)", "Stripe-Signature: t=1,v1=abc", "4 bytes"]) {
      expect(text).toContain(part);
    }
    expect(text).toMatch(/1 {2}live {2}200 {2}acknowledged {2}13 ms {2}1 row inserted in charges/u);
    expect(text).toMatch(/2 {2}resend {2}- {2}refused {2}13 ms {2}nothing listens there/u);
  });

  it("masks what gives rights elsewhere, and lets nothing drive the terminal", async () => {
    const { db } = await createHome();
    for (const json of [false, true]) {
      const { stdout } = await run(showCommand, db, ["evt_show"], { json });
      for (const hidden of ["very-secret", "\u001b", "\u0007"])
        expect(stdout.toString()).not.toContain(hidden);
      expect(stdout.toString()).toContain("[masked, 18 bytes]");
    }
  });

  it("writes exactly the stored bytes with --raw", async () => {
    const { db } = await createHome();
    const { stdout } = await run(showCommand, db, ["evt_show"], { raw: true });
    expect([...stdout]).toEqual([0x7b, 0x0a, 0x1b, 0x7d]);
  });

  it("is the delivery with its body, then its attempts, with --json", async () => {
    const { db, id } = await createHome();
    const { stdout } = await run(showCommand, db, [id], { json: true });
    expect(toObjects(stdout)).toMatchObject([
      { type: "delivery", id, bodyBase64: "ewobfQ==", bodySize: 4, truncated: false },
      { type: "attempt", delivery: id, number: 1, outcome: "acknowledged" },
      { type: "attempt", delivery: id, number: 2, outcome: "refused" },
    ]);
  });

  it("refuses --raw with --json, and a delivery that is not there", async () => {
    const { db } = await createHome();
    await expect(async () => run(showCommand, db, [], { raw: true, json: true })).rejects.toMatchObject({
      code: "usage",
    });
    await expect(run(showCommand, db, ["evt_none"])).rejects.toMatchObject({ code: "no-such-delivery" });
  });
});
