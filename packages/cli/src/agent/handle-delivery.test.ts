import { createHmac } from "node:crypto";
import type { RequestHead } from "@tenfold/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { CliError } from "../errors.ts";
import { createForwarder } from "../forward/create-forwarder.ts";
import { startRawTarget } from "../forward/testing/raw-target.ts";
import type { RawTarget } from "../forward/testing/raw-target.ts";
import { handleDelivery } from "./handle-delivery.ts";
import type { DeliveryContext } from "./handle-delivery.ts";
import { createMemoryRecords } from "./testing/memory-records.ts";
import type { MemoryRecords } from "./testing/memory-records.ts";
import { createScriptedStream } from "./testing/scripted-stream.ts";

const NOW = 1_764_500_000_000;
const EVENT = '{"id":"evt_123456","object":"event","type":"invoice.paid"}';
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const item of opened.splice(0).toReversed()) {
    await item.close();
  }
});

interface Scene {
  readonly target: RawTarget;
  readonly records: MemoryRecords;
  readonly context: DeliveryContext;
}

async function scene(
  changes: {
    idempotencyHeader?: string;
    recordOnly?: boolean;
    secrets?: ReadonlyMap<string, readonly string[]>;
    timeoutMs?: number;
  } = {},
): Promise<Scene> {
  const target = await startRawTarget();
  const forwarder = createForwarder();
  opened.push(target, forwarder);
  const records = createMemoryRecords();
  const context: DeliveryContext = {
    target: {
      url: `http://127.0.0.1:${target.port}`,
      idempotencyHeader: changes.idempotencyHeader ?? null,
      hostHeader: "preserve",
      timeoutMs: changes.timeoutMs ?? 5_000,
    },
    secrets: changes.secrets ?? new Map(),
    folder: "/home/dev/shop",
    tunnel: "shop",
    history: records.history,
    now: () => NOW,
    onEvent: (event) => records.onEvent(event),
    forwarder,
    recordOnly: changes.recordOnly ?? false,
  };
  return { target, records, context };
}

function head(headers: readonly string[] = []): RequestHead {
  return {
    id: "dlv_1",
    receivedAt: NOW - 5,
    method: "POST",
    target: "/hook?a=1",
    headers: ["Host", "public.test", ...headers],
  };
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}

function stripeSignature(secret: string): string {
  const seconds = Math.floor(NOW / 1_000);
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${EVENT}`).digest("hex")}`;
}

describe("a delivery that comes whole", () => {
  it("goes to the target, its answer goes back, and both are recorded", async () => {
    const { target, records, context } = await scene();
    const stream = createScriptedStream();
    const headers = ["Content-Length", String(EVENT.length)];
    const delivery = handleDelivery(
      { head: head(headers), stream, first: bytes(EVENT), ended: true },
      context,
    );
    const connection = await target.connection(0);
    await connection.receivedText(EVENT);
    connection.send(OK);
    await delivery.done;
    expect(connection.received().startsWith("POST /hook?a=1 HTTP/1.1\r\nHost: public.test\r\n")).toBe(true);
    expect(stream.calls).toEqual([
      {
        call: "respond",
        head: { status: 200, statusText: "OK", headers: ["Content-Length", "2"] },
        body: "",
        end: false,
      },
      { call: "write", text: "ok" },
      { call: "end", trailers: [] },
    ]);
    expect(stream.credited).toBe(EVENT.length);
    expect(records.deliveries).toMatchObject([
      {
        id: "dlv_1",
        receivedAt: NOW - 5,
        replayOf: null,
        path: "/hook?a=1",
        provider: "stripe",
        event: "invoice.paid",
        key: "evt_123456",
        keySource: "provider",
        target: context.target.url,
        folder: "/home/dev/shop",
        tunnel: "shop",
        body: { size: EVENT.length, truncated: false },
      },
    ]);
    expect(records.attempts).toMatchObject([
      { deliveryId: "dlv_1", trigger: "live", outcome: "acknowledged", status: 200, sentHeaders: null },
    ]);
    expect(records.events.map(({ type }) => type)).toEqual(["delivery", "attempt"]);
  });

  it("is acknowledged also when the end of its answer closes the stream at once", async () => {
    const { target, records, context } = await scene();
    const stream = createScriptedStream(() => delivery.handler.onClose());
    const delivery = handleDelivery({ head: head(), stream, first: bytes(EVENT), ended: true }, context);
    (await target.connection(0)).send(OK);
    await delivery.done;
    expect(records.attempts).toMatchObject([{ outcome: "acknowledged", cause: null }]);
  });

  it("is recorded while the handler still works", async () => {
    const { records, context } = await scene();
    const { handler } = handleDelivery(
      { head: head(), stream: createScriptedStream(), first: bytes(EVENT), ended: true },
      context,
    );
    await records.until((events) => events.some(({ type }) => type === "delivery"));
    expect(records.attempts).toEqual([]);
    handler.onReset("session-lost", "");
  });

  it.each([
    [new Map([["stripe", ["whsec_old", "whsec_new"]]]), "valid"],
    [new Map([["stripe", ["whsec_other"]]]), "invalid"],
    [new Map<string, string[]>(), "unknown"],
  ])("has its signature checked with the secrets that are known: %o is %s", async (secrets, state) => {
    const { target, records, context } = await scene({ secrets });
    const headers = ["Stripe-Signature", stripeSignature("whsec_new")];
    const delivery = handleDelivery(
      { head: head(headers), stream: createScriptedStream(), first: bytes(EVENT), ended: true },
      context,
    );
    (await target.connection(0)).send(OK);
    await delivery.done;
    expect(records.deliveries[0]?.signature).toBe(state);
  });

  it("without a key of its own gets a minted one that no target sees unless it asks", async () => {
    const { target, records, context } = await scene();
    const delivery = handleDelivery(
      { head: head(), stream: createScriptedStream(), first: bytes("{}"), ended: true },
      context,
    );
    const connection = await target.connection(0);
    await connection.receivedText("{}");
    connection.send(OK);
    await delivery.done;
    const [record] = records.deliveries;
    expect(record?.keySource).toBe("minted");
    expect(connection.received()).not.toContain(record?.key ?? "?");
  });
});

describe("a delivery that still comes in", () => {
  it("reaches the target chunk by chunk, with credit as the target takes it", async () => {
    const { target, records, context } = await scene();
    const stream = createScriptedStream();
    const delivery = handleDelivery({ head: head(), stream, first: bytes("first"), ended: false }, context);
    const connection = await target.connection(0);
    await connection.receivedText("5\r\nfirst\r\n");
    delivery.handler.onData(bytes("second"));
    await connection.receivedText("6\r\nsecond\r\n");
    delivery.handler.onEnd([]);
    await connection.receivedText("\r\n0\r\n\r\n");
    connection.send(OK);
    await delivery.done;
    expect(stream.credited).toBe(11);
    expect(Buffer.from(records.deliveries[0]?.body.bytes ?? []).toString()).toBe("firstsecond");
  });

  it("whose sender goes away is recorded as truncated, its attempt as cancelled, and the target is left", async () => {
    const { target, records, context } = await scene();
    const stream = createScriptedStream();
    const delivery = handleDelivery({ head: head(), stream, first: bytes("half"), ended: false }, context);
    const connection = await target.connection(0);
    await connection.receivedText("half");
    const left = new Promise((resolve) => {
      connection.socket.once("close", resolve);
    });
    stream.callerGone(delivery.handler);
    await delivery.done;
    await left;
    expect(records.deliveries).toMatchObject([{ body: { size: 4, truncated: true } }]);
    expect(records.attempts).toMatchObject([{ outcome: "cancelled", status: null }]);
    expect(stream.calls).toEqual([]);
  });

  it("and is answered early is stopped, not reset", async () => {
    const { target, records, context } = await scene();
    const stream = createScriptedStream();
    const delivery = handleDelivery({ head: head(), stream, first: bytes("part"), ended: false }, context);
    const connection = await target.connection(0);
    await connection.receivedText("part");
    connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
    await delivery.done;
    expect(stream.calls.map(({ call }) => call)).toEqual(["respond", "end", "stop"]);
    expect(records.attempts).toMatchObject([{ outcome: "rejected", status: 413 }]);
    expect(records.events.map(({ type }) => type)).toEqual(["delivery", "attempt"]);
    expect(records.deliveries).toMatchObject([{ body: { truncated: true } }]);
  });
});

describe("a target that asks for the key in a header", () => {
  it("gets the provider's key, read from the body before anything is sent", async () => {
    const { target, records, context } = await scene({ idempotencyHeader: "X-Idempotency-Key" });
    const { handler, done } = handleDelivery(
      { head: head(), stream: createScriptedStream(), first: bytes(EVENT.slice(0, 10)), ended: false },
      context,
    );
    handler.onData(bytes(EVENT.slice(10)));
    handler.onEnd([]);
    const connection = await target.connection(0);
    await connection.receivedText(EVENT);
    connection.send(OK);
    await done;
    expect(connection.received()).toContain("\r\nX-Idempotency-Key: evt_123456\r\n");
    expect(records.attempts[0]?.sentHeaders).toEqual([
      "Host",
      "public.test",
      "X-Idempotency-Key",
      "evt_123456",
    ]);
    expect(records.deliveries[0]).toMatchObject({
      key: "evt_123456",
      idempotencyHeader: "X-Idempotency-Key",
    });
  });

  it("gets the minted key that is recorded, when there is none", async () => {
    const { target, records, context } = await scene({ idempotencyHeader: "X-Idempotency-Key" });
    const { done } = handleDelivery(
      { head: head(), stream: createScriptedStream(), first: bytes("{}"), ended: true },
      context,
    );
    const connection = await target.connection(0);
    await connection.receivedText("{}");
    connection.send(OK);
    await done;
    const [record] = records.deliveries;
    expect(record?.keySource).toBe("minted");
    expect(connection.received()).toContain(`\r\nX-Idempotency-Key: ${record?.key}\r\n`);
  });

  it("gets the sender's own header as it is, at once and as a stream", async () => {
    const { target, records, context } = await scene({ idempotencyHeader: "X-Idempotency-Key" });
    const headers = ["x-idempotency-KEY", "order-1"];
    const { handler, done } = handleDelivery(
      { head: head(headers), stream: createScriptedStream(), first: bytes("a"), ended: false },
      context,
    );
    const connection = await target.connection(0);
    await connection.receivedText("1\r\na\r\n");
    handler.onEnd([]);
    await connection.receivedText("0\r\n\r\n");
    connection.send(OK);
    await done;
    expect(connection.received()).toContain("\r\nx-idempotency-KEY: order-1\r\n");
    expect(records.deliveries[0]).toMatchObject({ key: "order-1", keySource: "header" });
    expect(records.attempts[0]?.sentHeaders).toBe(null);
  });

  it("gets a minted key with a body over 1 MiB, which is recorded as the delivery's", async () => {
    const { target, records, context } = await scene({ idempotencyHeader: "X-Idempotency-Key" });
    const { handler, done } = handleDelivery(
      {
        head: head(),
        stream: createScriptedStream(),
        first: bytes(`${EVENT.slice(0, -1)},"x":"`),
        ended: false,
      },
      context,
    );
    for (let count = 0; count < 20; count += 1) {
      handler.onData(bytes("x".repeat(64 * 1024)));
    }
    handler.onData(bytes('"}'));
    handler.onEnd([]);
    const connection = await target.connection(0);
    await connection.receivedText("\r\n0\r\n\r\n");
    connection.send(OK);
    await done;
    const [record] = records.deliveries;
    expect(record?.keySource).toBe("minted");
    expect(connection.received()).toContain(`\r\nX-Idempotency-Key: ${record?.key}\r\n`);
  });

  it("sees nothing of a delivery whose sender goes away before the key is known; it is recorded", async () => {
    const { target, records, context } = await scene({ idempotencyHeader: "X-Idempotency-Key" });
    const stream = createScriptedStream();
    const { handler, done } = handleDelivery(
      { head: head(), stream, first: bytes("{"), ended: false },
      context,
    );
    stream.callerGone(handler);
    await done;
    expect(target.connections.length).toBe(0);
    expect(records.deliveries).toMatchObject([{ body: { size: 1, truncated: true } }]);
    expect(records.attempts).toMatchObject([{ outcome: "cancelled" }]);
  });
});

describe("a target that fails", () => {
  it("is told to the relay by a code, in words that name nothing of this machine", async () => {
    const { target, records, context } = await scene({ timeoutMs: 50 });
    const stream = createScriptedStream();
    await handleDelivery({ head: head(), stream, first: bytes("a"), ended: true }, context).done;
    expect(stream.calls).toEqual([
      { call: "reset", code: "target-timeout", reason: "the target did not answer in time" },
    ]);
    expect(records.attempts).toMatchObject([{ outcome: "timeout" }]);
    expect(target.connections.length).toBe(1);
  });

  it("by refusing is told as target-refused, and the attempt names the address", async () => {
    const { target, records, context } = await scene();
    await target.close();
    opened.splice(opened.indexOf(target), 1);
    const stream = createScriptedStream();
    await handleDelivery({ head: head(), stream, first: bytes("a"), ended: true }, context).done;
    expect(stream.calls).toMatchObject([{ call: "reset", code: "target-refused" }]);
    expect(records.attempts[0]?.cause).toContain(`127.0.0.1:${target.port}`);
  });

  it("in mid-answer cuts the public answer off", async () => {
    const { target, records, context } = await scene();
    const stream = createScriptedStream();
    const { done } = handleDelivery({ head: head(), stream, first: bytes("a"), ended: true }, context);
    const connection = await target.connection(0);
    connection.socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
    await done;
    expect(stream.calls.map(({ call }) => call)).toEqual(["respond", "write", "reset"]);
    expect(records.attempts).toMatchObject([{ outcome: "truncated", status: 200 }]);
  });
});

describe("--record-only", () => {
  it("reads the body whole, answers 202 with the delivery's id, and sends nothing", async () => {
    const { target, records, context } = await scene({ recordOnly: true });
    const stream = createScriptedStream();
    const { handler, done } = handleDelivery(
      { head: head(), stream, first: bytes(EVENT.slice(0, 9)), ended: false },
      context,
    );
    handler.onData(bytes(EVENT.slice(9)));
    handler.onEnd([]);
    await done;
    expect(stream.calls).toMatchObject([{ call: "respond", head: { status: 202 }, end: true }]);
    expect(JSON.parse(stream.answer())).toEqual({ recorded: true, delivery: "dlv_1" });
    expect(stream.credited).toBe(EVENT.length);
    expect(target.connections.length).toBe(0);
    expect(records.deliveries).toMatchObject([
      { key: "evt_123456", target: context.target.url, body: { truncated: false } },
    ]);
    expect(records.attempts).toMatchObject([{ outcome: "recorded", status: null }]);
  });
});

it("an upgrade is refused at once, since its request would never end for a plain HTTP target", async () => {
  const { target, records, context } = await scene();
  const stream = createScriptedStream();
  const headers = ["Connection", "Upgrade", "Upgrade", "websocket"];
  await handleDelivery({ head: head(headers), stream, first: bytes(""), ended: false }, context).done;
  expect(stream.calls[0]).toMatchObject({ call: "respond", head: { status: 501 }, end: true });
  expect(stream.answer()).toContain("upgrade-unsupported");
  expect(records.attempts).toMatchObject([{ outcome: "cancelled", status: null }]);
  expect(target.connections.length).toBe(0);
});

describe("--record-only with a history that fails", () => {
  const full = new CliError("disk-full", "The disk is full.", { hint: "Make room." });
  const fail = (): never => {
    throw full;
  };
  const failing = [
    ["takes nothing", { recordDelivery: fail, recordAttempt: fail, flush: async () => {} }],
    ["commits nothing", { recordDelivery: () => {}, recordAttempt: () => 1, flush: async () => fail() }],
  ] as const;

  it.each(failing)("never says 202 when it %s: the sender is told to try again", async (_, history) => {
    const { records, context } = await scene({ recordOnly: true });
    const stream = createScriptedStream();
    await handleDelivery({ head: head(), stream, first: bytes(EVENT), ended: true }, { ...context, history })
      .done;
    expect(stream.answer()).toBe("");
    expect(stream.calls.at(-1)).toMatchObject({ call: "reset", code: "agent-unable" });
    expect(records.events).toContainEqual({ type: "history-failed", error: full });
  });
});

it("a history that takes nothing is told, and the delivery goes on", async () => {
  const { target, records, context } = await scene();
  const full = new CliError("disk-full", "The disk is full.", { hint: "Make room." });
  const fail = (): never => {
    throw full;
  };
  const stream = createScriptedStream();
  const delivery = handleDelivery(
    { head: head(), stream, first: bytes("a"), ended: true },
    { ...context, history: { recordDelivery: fail, recordAttempt: fail, flush: async () => {} } },
  );
  (await target.connection(0)).send(OK);
  await delivery.done;
  expect(stream.answer()).toBe("ok");
  expect(records.events.filter(({ type }) => type === "history-failed").length).toBe(2);
});
