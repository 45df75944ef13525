import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReceiveWindow, SendWindow } from "./flow-window.ts";
import { INITIAL_WINDOW_BYTES, MAX_WINDOW_BYTES } from "./limits.ts";

describe("a window", () => {
  it("grants credit in halves, so that a long body costs few messages", () => {
    const window = new ReceiveWindow(1000);
    window.receive(1000);
    expect([window.consume(499), window.consume(1), window.consume(10)]).toEqual([0, 500, 0]);
  });

  it("never runs dry for a reader that keeps up, and never lets more than its size be in flight", () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 200 });
    fc.assert(
      fc.property(pieces, (sizes) => {
        const send = new SendWindow();
        const receive = new ReceiveWindow();
        for (const size of sizes) {
          expect(send.available).toBeGreaterThanOrEqual(INITIAL_WINDOW_BYTES / 2);
          const piece = Math.min(size, send.available);
          send.take(piece);
          receive.receive(piece);
          const grant = receive.consume(piece);
          if (grant > 0) send.grant(grant);
          expect(send.available).toBeLessThanOrEqual(INITIAL_WINDOW_BYTES);
        }
      }),
    );
  });

  it("tells a peer that sends more than it was granted", () => {
    const window = new ReceiveWindow(10);
    window.receive(10);
    expect(() => window.receive(1)).toThrow(expect.objectContaining({ code: "flow-control" }));
  });

  it("refuses to give back more than came in, which would let more than its size be in flight", () => {
    const window = new ReceiveWindow(1000);
    window.receive(400);
    window.consume(300);
    expect(() => window.consume(101)).toThrow(expect.objectContaining({ code: "flow-control" }));
    expect(window.consume(100)).toBe(0);
  });

  it("tells a peer that grants nothing, or more than a window can hold", () => {
    expect(() => new SendWindow().grant(0)).toThrow(expect.objectContaining({ code: "flow-control" }));
    expect(() => new SendWindow().grant(MAX_WINDOW_BYTES)).toThrow(
      expect.objectContaining({ code: "flow-control" }),
    );
  });
});
