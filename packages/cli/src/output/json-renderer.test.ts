import { describe, expect, it } from "vitest";
import { CliError } from "../errors.ts";
import { createJsonRenderer } from "./json-renderer.ts";
import { CapturedStream } from "./testing/captured-stream.ts";
import { deliverySummary } from "./testing/records.ts";
import { toDeliveryEvent } from "./to-event.ts";

function createJson(debug = false) {
  const stdout = new CapturedStream();
  return { stdout, renderer: createJsonRenderer({ stdout, debug }) };
}

describe("--json", () => {
  it("writes each event as one object a line, with the fields that it has and no others", () => {
    const { stdout, renderer } = createJson();
    const event = { type: "tunnel.down", reason: "a\nb", retryInMs: 500 } as const;
    renderer.event(event);
    renderer.event(event);
    expect(stdout.lines).toHaveLength(2);
    expect(stdout.events).toStrictEqual([event, event]);
  });

  it("escapes what could drive a terminal that it is read on", () => {
    const { stdout, renderer } = createJson();
    renderer.event({ type: "tunnel.down", reason: "\u009b2J\u202e\u007f", retryInMs: 500 });
    expect(stdout.text).toContain(String.raw`"\u009b2J\u202e\u007f"`);
  });

  it("lists deliveries as delivery events", () => {
    const { stdout, renderer } = createJson();
    renderer.list([deliverySummary(), deliverySummary()]);
    expect(stdout.events).toStrictEqual([
      toDeliveryEvent(deliverySummary()),
      toDeliveryEvent(deliverySummary()),
    ]);
  });

  it("drops notes", () => {
    const { stdout, renderer } = createJson();
    renderer.note("for people");
    expect(stdout.text).toBe("");
  });

  it("shows errors as objects too, with their code", () => {
    const { stdout, renderer } = createJson();
    renderer.error(new CliError("ambiguous-ref", "two", { hint: "Say more.", details: ["dlv_1"] }));
    renderer.error(new TypeError("x is not a function"));
    expect(stdout.events).toStrictEqual([
      { type: "error", code: "ambiguous-ref", message: "two\ndlv_1", hint: "Say more." },
      {
        type: "error",
        code: "bug",
        message: "This is a bug in tenfold: x is not a function",
        hint: "Run it again with TENFOLD_DEBUG=1 to see where, and please report it.",
      },
    ]);
  });

  it("shows the stack of a bug only where it was asked for", () => {
    const { stdout, renderer } = createJson(true);
    renderer.error(new TypeError("x is not a function"));
    expect(stdout.events[0]?.["message"]).toMatch(/\n +at /u);
  });
});
