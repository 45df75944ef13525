import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IncomingBody, SenderGoneError } from "./request-body.ts";

interface Wire {
  readonly body: IncomingBody;
  readonly credited: () => number;
  readonly stops: string[];
}

function wire(): Wire {
  let credit = 0;
  const stops: string[] = [];
  const body = new IncomingBody({
    consumed: (count) => {
      credit += count;
    },
    stop: (code) => {
      stops.push(code);
    },
  });
  return { body, credited: () => credit, stops };
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}

async function readAll(body: IncomingBody): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.chunks) {
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks).toString("latin1");
}

describe("IncomingBody", () => {
  it("gives credit back for a chunk only when the next one is asked for", async () => {
    const { body, credited } = wire();
    body.push(bytes("abc"));
    body.push(bytes("de"));
    const chunks = body.chunks[Symbol.asyncIterator]();
    expect(Buffer.from((await chunks.next()).value).toString()).toBe("abc");
    expect(credited()).toBe(0);
    expect(Buffer.from((await chunks.next()).value).toString()).toBe("de");
    expect(credited()).toBe(3);
    body.end(["X-Sum", "1"]);
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
    expect(credited()).toBe(5);
    expect(body.whole).toBe(true);
    expect(body.trailers()).toEqual(["X-Sum", "1"]);
  });

  it("wakes a reader that waits: by a chunk, by the end, by a stop", async () => {
    const { body, stops } = wire();
    const chunks = body.chunks[Symbol.asyncIterator]();
    const first = chunks.next();
    body.push(bytes("a"));
    expect((await first).done).toBe(false);
    const second = chunks.next();
    body.stop();
    expect((await second).done).toBe(true);
    expect(stops).toEqual(["response-complete"]);
    expect(body.whole).toBe(false);
  });

  it("throws to its reader when the sender is gone, also for what is still queued", async () => {
    const { body } = wire();
    const chunks = body.chunks[Symbol.asyncIterator]();
    const waiting = chunks.next();
    body.push(bytes("a"));
    await waiting;
    body.push(bytes("b"));
    body.fail();
    await expect(chunks.next()).rejects.toBeInstanceOf(SenderGoneError);
  });

  it("gives the credit of all that comes after a stop back at once", () => {
    const { body, credited } = wire();
    body.stop();
    body.push(bytes("abcd"));
    expect(credited()).toBe(4);
  });

  it("sends no stop for a body that is whole", () => {
    const { body, stops } = wire();
    body.end([]);
    body.stop();
    expect([stops.length, body.whole]).toEqual([0, true]);
  });

  it("can be buffered up to a limit, with credit for what is kept, and then be taken whole", async () => {
    const { body, credited } = wire();
    const buffered = body.buffered(10);
    body.push(bytes("abc"));
    await Promise.resolve();
    await Promise.resolve();
    expect(credited()).toBe(3);
    body.push(bytes("de"));
    body.end([]);
    expect(await buffered).toBe(true);
    expect(Buffer.from(body.takeWhole()).toString()).toBe("abcde");
    expect(credited()).toBe(5);
  });

  it("over the limit it is still read from its first byte on", async () => {
    const { body, credited } = wire();
    const buffered = body.buffered(4);
    body.push(bytes("abc"));
    await Promise.resolve();
    body.push(bytes("def"));
    expect(await buffered).toBe(false);
    body.push(bytes("ghi"));
    body.end([]);
    expect(await readAll(body)).toBe("abcdefghi");
    expect(credited()).toBe(9);
  });

  it("tells a reader that buffers when the sender is gone", async () => {
    const { body } = wire();
    const buffered = body.buffered(10);
    body.fail();
    await expect(buffered).rejects.toBeInstanceOf(SenderGoneError);
  });

  it("passes every byte once and in order, and gives back exactly its credit, however it is cut and read", async () => {
    const parts = fc.array(fc.string({ maxLength: 20 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(parts, fc.nat(40), fc.boolean(), async (texts, limit, bufferFirst) => {
        const { body, credited } = wire();
        const total = Buffer.concat(texts.map((text) => Buffer.from(text, "latin1"))).toString("latin1");
        const reading = (async () => {
          if (bufferFirst && (await body.buffered(limit))) {
            return Buffer.from(body.takeWhole()).toString("latin1");
          }
          return readAll(body);
        })();
        for (const text of texts) {
          body.push(bytes(text));
          await Promise.resolve();
        }
        body.end([]);
        expect(await reading).toBe(total);
        expect(credited()).toBe(total.length);
      }),
    );
  });
});
