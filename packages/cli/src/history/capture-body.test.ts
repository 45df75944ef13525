import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CAPTURE_LIMIT_BYTES, createBodyCapture } from "./capture-body.ts";

describe("capturing a body", () => {
  it("gives an empty body when nothing came", () => {
    expect(createBodyCapture().finish()).toEqual({ bytes: new Uint8Array(), size: 0, truncated: false });
  });

  it("copies each chunk, so that its buffer can be reused", () => {
    const capture = createBodyCapture();
    const chunk = Uint8Array.of(1, 2, 3);
    capture.write(chunk);
    chunk.fill(9);
    capture.write(chunk);
    expect(capture.finish().bytes).toEqual(Uint8Array.of(1, 2, 3, 9, 9, 9));
  });

  it("keeps the bytes that it gave when more come", () => {
    const capture = createBodyCapture();
    capture.write(Uint8Array.of(1));
    const first = capture.finish();
    capture.write(Uint8Array.of(2));
    expect(first.bytes).toEqual(Uint8Array.of(1));
  });

  it("keeps the first bytes up to the limit and counts all of them, however they are cut", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), fc.nat(200), (chunks, limit) => {
        const capture = createBodyCapture(limit);
        for (const chunk of chunks) capture.write(chunk);
        const whole = chunks.flatMap((chunk) => [...chunk]);
        expect(capture.finish()).toEqual({
          bytes: Uint8Array.from(whole.slice(0, limit)),
          size: whole.length,
          truncated: whole.length > limit,
        });
      }),
    );
  });

  it("keeps 10 MiB by default, and is whole at exactly that", () => {
    const capture = createBodyCapture();
    capture.write(new Uint8Array(CAPTURE_LIMIT_BYTES));
    expect(capture.finish().truncated).toBe(false);
    capture.write(Uint8Array.of(1));
    expect(capture.finish()).toMatchObject({ size: CAPTURE_LIMIT_BYTES + 1, truncated: true });
  });
});
