import { describe, expect, it } from "vitest";
import type { NewAttempt } from "../history/history-store.ts";
import { attemptDelivery } from "./attempt-delivery.ts";
import type { AttemptOptions, OutgoingDelivery } from "./attempt-delivery.ts";
import type { ForwardRequest, ForwardResult, Forwarder, ResponseSink } from "./forwarder.ts";
import type { Target } from "./target.ts";
import { createRecordingSink } from "./testing/recording-sink.ts";

const TARGET: Target = {
  url: "http://127.0.0.1:3000",
  idempotencyHeader: null,
  hostHeader: "preserve",
  timeoutMs: 1_000,
};
const DELIVERY: OutgoingDelivery = {
  id: "dlv_1",
  method: "POST",
  path: "/hook",
  headers: ["Host", "h", "A", "1"],
  key: "evt_1",
  body: Buffer.from("body"),
  changed: false,
};
const RESEND: AttemptOptions = { trigger: "resend", runId: "run_1" };

interface Scripted {
  readonly forwarder: Forwarder;
  readonly requests: ForwardRequest[];
}

function scripted(answer: Partial<ForwardResult>, body = ""): Scripted {
  const requests: ForwardRequest[] = [];
  const result: ForwardResult = { outcome: "answered", head: null, cause: null, durationMs: 7, ...answer };
  return {
    requests,
    forwarder: {
      async forward(_target: Target, request: ForwardRequest, sink: ResponseSink) {
        requests.push(request);
        if (result.head !== null) {
          sink.setOnWritable(() => {});
          sink.head(result.head);
          sink.write(Buffer.from(body));
        }
        if (result.outcome === "answered") {
          sink.end([]);
        }
        return result;
      },
      async close() {},
    },
  };
}

function answered(status: number, body = ""): Scripted {
  return scripted({ head: { status, statusText: "S", headers: ["B", "2"] } }, body);
}

async function attempted(
  script: Scripted,
  changes: {
    delivery?: Partial<OutgoingDelivery>;
    target?: Partial<Target>;
    options?: Partial<AttemptOptions>;
  } = {},
): Promise<{ attempt: NewAttempt & { number: number }; recorded: NewAttempt[] }> {
  const recorded: NewAttempt[] = [];
  const attempt = await attemptDelivery(
    { ...DELIVERY, ...changes.delivery },
    { ...TARGET, ...changes.target },
    { ...RESEND, ...changes.options },
    {
      forwarder: script.forwarder,
      now: () => 1_000,
      history: {
        recordAttempt: (attempt_) => {
          recorded.push(attempt_);
          return recorded.length;
        },
      },
    },
  );
  return { attempt, recorded };
}

function acknowledges(status: number): boolean {
  return status === 410 || status === 302;
}

describe("attemptDelivery", () => {
  it("records exactly one attempt, with what was sent, what came back and how long it took", async () => {
    const { attempt, recorded } = await attempted(answered(200, "done"));
    expect(recorded.length).toBe(1);
    expect(attempt).toMatchObject({
      deliveryId: "dlv_1",
      runId: "run_1",
      trigger: "resend",
      target: "http://127.0.0.1:3000",
      startedAt: 1_000,
      durationMs: 7,
      number: 1,
      status: 200,
      statusText: "S",
      outcome: "acknowledged",
      cause: null,
      responseHeaders: ["B", "2"],
      sentHeaders: null,
      effects: null,
    });
    expect(attempt.id).toMatch(/^att_/);
    expect(Buffer.from(attempt.responseBody?.bytes ?? []).toString()).toBe("done");
  });

  it.each([
    [200, "acknowledged"],
    [299, "acknowledged"],
    [301, "rejected"],
    [307, "rejected"],
    [400, "rejected"],
    [500, "rejected"],
  ])("takes %i as %s", async (status, outcome) => {
    const { attempt } = await attempted(answered(status));
    expect(attempt.outcome).toBe(outcome);
    expect(attempt.cause === null).toBe(outcome === "acknowledged");
  });

  it("follows the provider's own rule for success, but never takes a redirect for one", async () => {
    expect((await attempted(answered(410), { delivery: { acknowledges } })).attempt.outcome).toBe(
      "acknowledged",
    );
    expect((await attempted(answered(200), { delivery: { acknowledges } })).attempt.outcome).toBe("rejected");
    expect((await attempted(answered(302), { delivery: { acknowledges } })).attempt.outcome).toBe("rejected");
  });

  it("keeps the outcome and cause of an answer that did not come, and records it as well", async () => {
    for (const outcome of ["refused", "reset", "timeout", "tls", "bad-answer", "cancelled"] as const) {
      const { attempt, recorded } = await attempted(scripted({ outcome, cause: "why" }));
      expect(attempt).toMatchObject({
        outcome,
        cause: "why",
        status: null,
        responseHeaders: null,
        responseBody: null,
      });
      expect(recorded.length).toBe(1);
    }
  });

  it("keeps what came of an answer that was cut off", async () => {
    const head = { status: 200, statusText: "OK", headers: [] };
    const { attempt } = await attempted(scripted({ outcome: "truncated", cause: "cut", head }, "half"));
    expect(attempt).toMatchObject({ outcome: "truncated", status: 200 });
    expect(Buffer.from(attempt.responseBody?.bytes ?? []).toString()).toBe("half");
  });

  it("adds the key header where the target asks, and records the headers that were sent", async () => {
    const script = answered(200);
    const { attempt } = await attempted(script, { target: { idempotencyHeader: "X-Key" } });
    expect(script.requests[0]?.headers).toEqual(["Host", "h", "A", "1", "X-Key", "evt_1"]);
    expect(attempt.sentHeaders).toEqual(["Host", "h", "A", "1", "X-Key", "evt_1"]);
  });

  it("records changed headers as sent", async () => {
    const { attempt } = await attempted(answered(200), { delivery: { changed: true } });
    expect(attempt.sentHeaders).toEqual(["Host", "h", "A", "1"]);
  });

  it("passes a live answer on to its sink, with the sink's word on room", async () => {
    const sink = createRecordingSink();
    await attempted(answered(201, "x"), { options: { sink } });
    expect([sink.heads[0]?.status, sink.text(), sink.trailers.length]).toEqual([201, "x", 1]);
  });

  it("measures effects once, before it records", async () => {
    const effects = { total: 1, changes: [{ source: "charges", inserted: 1, updated: 0, deleted: 0 }] };
    const { attempt, recorded } = await attempted(answered(200), {
      options: { measureEffects: async () => effects },
    });
    expect(attempt.effects).toEqual(effects);
    expect(recorded[0]?.effects).toEqual(effects);
  });

  it("records the attempt even when its effects can't be measured, and passes that failure on", async () => {
    const recorded: NewAttempt[] = [];
    const failing = attemptDelivery(
      DELIVERY,
      TARGET,
      { ...RESEND, measureEffects: () => Promise.reject(new Error("probe")) },
      {
        forwarder: answered(200).forwarder,
        now: () => 0,
        history: { recordAttempt: (attempt) => recorded.push(attempt) },
      },
    );
    await expect(failing).rejects.toThrow("probe");
    expect(recorded).toMatchObject([{ outcome: "acknowledged", effects: null }]);
  });
});
