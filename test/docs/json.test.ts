import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Verdict, OutputEvent } from "../../packages/cli/src/output/renderer.ts";
import type { Outcome, Trigger } from "../../packages/cli/src/history/history-store.ts";
import type { SignatureState } from "../../packages/providers/src/index.ts";
import { startHandler } from "../support/handler.ts";
import { postEvent, signedEvent } from "../support/stripe-event.ts";
import { createHome } from "../support/temp-home.ts";
import { repository, runTunnel, startTunnel } from "../support/tunnel.ts";
import type { JsonEvent, TunnelHome } from "../support/tunnel.ts";

type DeliveryEvent = Extract<OutputEvent, { readonly type: "delivery" }>;

interface Field {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

const PAGE = readFileSync(path.join(repository, "docs/json.md"), "utf8");
const DOCUMENTED = readPage(PAGE);
const TOKEN = "json-token-0123456789abcdef";

// A word or a type that the sources gain and this list lacks does not compile.
const TYPES: Record<OutputEvent["type"], true> = {
  "tunnel.ready": true,
  "tunnel.down": true,
  "relay.ready": true,
  delivery: true,
  attempt: true,
  verdict: true,
  error: true,
};
const OUTCOMES: Record<Outcome, true> = {
  acknowledged: true,
  rejected: true,
  refused: true,
  reset: true,
  timeout: true,
  tls: true,
  "bad-answer": true,
  truncated: true,
  cancelled: true,
  recorded: true,
};
const TRIGGERS: Record<Trigger, true> = { live: true, resend: true, replay: true, retry: true, check: true };
const SIGNATURES: Record<SignatureState, true> = {
  valid: true,
  expired: true,
  invalid: true,
  missing: true,
  unknown: true,
  none: true,
};
const KEY_SOURCES: Record<DeliveryEvent["keySource"], true> = {
  provider: true,
  header: true,
  minted: true,
  none: true,
};
const RESULTS: Record<Verdict["result"], true> = { good: true, bad: true, inconclusive: true, skipped: true };

/** Fields by heading, from the page's tables: the types of events, and what a command adds to one. */
function readPage(page: string): Map<string, Field[]> {
  const sections = page.split(/^##+ (.+)$/mu).slice(1);
  const types = new Map<string, Field[]>();
  for (let at = 0; at < sections.length; at += 2) {
    const rows = [...(sections[at + 1] ?? "").matchAll(/^\| `(\w+)` \| (.+?) \| (.*)\|$/gmu)];
    types.set(
      (sections[at] ?? "").replaceAll("`", ""),
      rows.map(([, name = "", type = "", text = ""]) => ({ name, type, text })),
    );
  }
  return types;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function expectAsDocumented(event: JsonEvent, addition?: string): void {
  const fields = [event.type, ...(addition === undefined ? [] : [addition])].flatMap(
    (heading) => DOCUMENTED.get(heading) ?? [],
  );
  expect(Object.keys(event), event.type).toEqual(["type", ...fields.map(({ name }) => name)]);
  for (const { name, type } of fields) {
    expect(type.split(" or "), `${event.type}.${name}`).toContain(typeOf(event[name]));
  }
}

function wordsOf(type: string, name: string): string[] {
  const field = DOCUMENTED.get(type)?.find((candidate) => candidate.name === name);
  return [...(field?.text ?? "").matchAll(/`([a-z][a-z-]*)`/gu)].map(([, word = ""]) => word).sort();
}

/** One of each: a relay that comes and goes, a webhook with and without a key, a run with a probe and one without. */
async function collectEvents(home: TunnelHome): Promise<JsonEvent[]> {
  const handler = await startHandler(home, "stripe-sqlite-right");
  const relay = startTunnel(home, ["relay", "--port", "0", "--token", TOKEN, "--json"]);
  const url = String((await relay.waitForEvent("relay.ready"))["url"]);
  const link = ["--relay", url, "--token", TOKEN, "--json"];
  const tunnel = startTunnel(home, [String(handler.port), ...link]);
  const publicUrl = String((await tunnel.waitForEvent("tunnel.ready"))["url"]);
  await postEvent(publicUrl, signedEvent());
  await tunnel.waitForEvent("attempt");
  await fetch(publicUrl, { method: "POST", body: "no key" });
  await tunnel.waitForEvent("attempt", 2);
  await relay.stop();
  await tunnel.waitForEvent("tunnel.down");
  await tunnel.stop();
  const run = ["replay", "last~1", "--times", "2", "--json"];
  const results = [
    await runTunnel(home, [...run, "--probe", `sqlite:${handler.db}`]),
    await runTunnel(home, run),
    await runTunnel(home, ["list", "--json"]),
    await runTunnel(home, ["show", "nobody", "--json"]),
  ];
  return [...relay.events, ...tunnel.events, ...results.flatMap(({ events }) => events)];
}

describe("docs/json.md", () => {
  it("has every type of object, and no other", () => {
    const headings = [...PAGE.matchAll(/^## `(.+)`$/gmu)].map(([, type = ""]) => type);
    expect(headings.sort()).toEqual(Object.keys(TYPES).sort());
  });

  it.each([
    ["attempt", "outcome", OUTCOMES],
    ["attempt", "trigger", TRIGGERS],
    ["delivery", "signature", SIGNATURES],
    ["delivery", "keySource", KEY_SOURCES],
    ["verdict", "result", RESULTS],
  ])("has every word of %s.%s", (type, name, words) => {
    expect(wordsOf(type, name)).toEqual(Object.keys(words).sort());
  });

  it("has the fields that real runs print, in their order and of their types", async () => {
    const home = await createHome();
    const events = await collectEvents(home);
    expect([...new Set(events.map(({ type }) => type))].sort()).toEqual(Object.keys(TYPES).sort());
    for (const event of events) expectAsDocumented(event);

    const [shown, ...attempts] = (await runTunnel(home, ["show", "last", "--json"])).events;
    expectAsDocumented(shown as JsonEvent, "tunnel show adds");
    for (const attempt of attempts) expectAsDocumented(attempt);
  });
});
