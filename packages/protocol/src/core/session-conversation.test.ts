import { describe, it } from "vitest";
import { HELLO, REQUEST, RESPONSE, WELCOME } from "../testing/frame-factory.ts";
import { playbook } from "../testing/playbook.ts";
import type { Playbook } from "../testing/playbook.ts";
import { INITIAL_WINDOW_BYTES } from "./limits.ts";
import type { Frame } from "./frame.ts";
import { Session } from "./session.ts";

const EMPTY = new Uint8Array(0);
const bytes = (text: string) => Uint8Array.from(Buffer.from(text));
const request = (stream: number, fields: { body?: Uint8Array; end?: boolean } = {}) =>
  ({ name: "request", stream, head: REQUEST, body: EMPTY, end: false, ...fields }) as const;
const response = (fields: { body?: Uint8Array; end?: boolean } = {}) =>
  ({ name: "response", stream: 1, head: RESPONSE, body: EMPTY, end: false, ...fields }) as const;
const data = (chunk: Uint8Array) => ({ name: "data", stream: 1, chunk }) as const;

function playbookOfAgent(): Playbook {
  return playbook(new Session("agent"))
    .does((agent) => agent.sendHello(HELLO))
    .sends({ name: "hello", hello: HELLO })
    .receives({ name: "welcome", welcome: WELCOME })
    .gives({ name: "welcome", welcome: WELCOME });
}

function playbookOfRelay(): Playbook {
  return playbook(new Session("relay"))
    .receives({ name: "hello", hello: HELLO })
    .gives({ name: "hello", hello: HELLO })
    .does((relay) => relay.sendWelcome(WELCOME))
    .sends({ name: "welcome", welcome: WELCOME });
}

describe("a conversation", () => {
  it("of an agent: a delivery arrives in two pieces, is answered, and the stream is over", () => {
    playbookOfAgent()
      .receives(request(1, { body: bytes("first") }))
      .gives(request(1, { body: bytes("first") }))
      .receives(data(bytes("second")))
      .gives(data(bytes("second")))
      .receives({ name: "end", stream: 1, trailers: ["X-Sum", "1"] })
      .gives({ name: "end", stream: 1, trailers: ["X-Sum", "1"] })
      .does((agent) => agent.respond(1, RESPONSE, bytes("done"), true))
      .sends(response({ body: bytes("done"), end: true }))
      .receives(data(bytes("late")))
      .isSilent();
  });

  it("of an agent that stops an upload: what is on its way is swallowed, its own half goes on", () => {
    playbookOfAgent()
      .receives(request(1))
      .gives(request(1))
      .does((agent) => agent.sendStop(1, "too-large"))
      .sends({ name: "stop", stream: 1, code: "too-large" })
      .receives(data(bytes("on its way")))
      .receives({ name: "end", stream: 1, trailers: [] })
      .does((agent) => agent.respond(1, RESPONSE, EMPTY, true))
      .sends(response({ end: true }))
      .isSilent();
  });

  it("of a relay that stops an answer before its head: head and bytes are swallowed", () => {
    playbookOfRelay()
      .does((relay) => relay.openStream(REQUEST, EMPTY, false))
      .sends(request(1))
      .does((relay) => relay.sendStop(1, "not-needed"))
      .sends({ name: "stop", stream: 1, code: "not-needed" })
      .receives(response({ body: bytes("unwanted") }))
      .receives(data(bytes("unwanted")))
      .does((relay) => relay.sendEnd(1, []))
      .sends({ name: "end", stream: 1, trailers: [] })
      .isSilent();
  });

  it("of a relay whose request is stopped: its end is not sent any more", () => {
    playbookOfRelay()
      .does((relay) => relay.openStream(REQUEST, EMPTY, false))
      .sends(request(1))
      .receives({ name: "stop", stream: 1, code: "response-complete" })
      .gives({ name: "stop", stream: 1, code: "response-complete" })
      .does((relay) => relay.sendEnd(1, []))
      .does((relay) => relay.sendData(1, bytes("x")))
      .receives(response({ end: true }))
      .gives(response({ end: true }))
      .receives({ name: "window", stream: 1, bytes: 1 })
      .isSilent();
  });

  it("of an agent that gives credit back in halves, and none for a half that is over", () => {
    const half = INITIAL_WINDOW_BYTES / 2;
    const piece = new Uint8Array(half / 4);
    const book = playbookOfAgent().receives(request(1)).gives(request(1));
    for (let i = 0; i < 4; i += 1) book.receives(data(piece)).gives(data(piece));
    book
      .does((agent) => agent.consume(1, half - 1))
      .does((agent) => agent.consume(1, 1))
      .sends({ name: "window", stream: 1, bytes: half })
      .does((agent) => agent.consume(1, 1))
      .fails("flow-control")
      .receives({ name: "end", stream: 1, trailers: [] })
      .gives({ name: "end", stream: 1, trailers: [] })
      .does((agent) => agent.consume(1, half))
      .isSilent();
  });

  it("of an agent at its limit: one stream too many is reset, the others go on", () => {
    const tooMany = WELCOME.limits.maxStreams + 1;
    const book = playbookOfAgent();
    for (let stream = 1; stream < tooMany; stream += 1) book.receives(request(stream)).gives(request(stream));
    book
      .receives(request(tooMany))
      .sends({ name: "reset", stream: tooMany, code: "agent-unable", reason: "more than 4 streams" })
      .receives({ name: "data", stream: tooMany, chunk: bytes("late") })
      .receives(data(bytes("x")))
      .gives(data(bytes("x")));
  });

  it("of an agent whose owner writes before it answers: that is refused here, before the relay sees it", () => {
    playbookOfAgent()
      .receives(request(1))
      .gives(request(1))
      .does((agent) => agent.sendData(1, bytes("x")))
      .fails("unexpected-frame")
      .does((agent) => agent.sendEnd(1, []))
      .fails("unexpected-frame")
      .does((agent) => agent.respond(1, RESPONSE, EMPTY, false))
      .sends(response())
      .does((agent) => agent.respond(1, RESPONSE, EMPTY, false))
      .fails("unexpected-frame")
      .isSilent();
  });

  it("of a relay that drains, announces a gap and is replaced", () => {
    const frames: Frame[] = [
      { name: "drain", reason: "restart" },
      { name: "gap", gap: { count: 2, from: 1, to: 5 } },
      { name: "replaced", reason: "newer session" },
    ];
    playbookOfRelay()
      .does((relay) => relay.sendDrain("restart"))
      .sends({ name: "drain", reason: "restart" })
      .does((relay) => relay.sendGap({ count: 2, from: 1, to: 5 }))
      .sends({ name: "gap", gap: { count: 2, from: 1, to: 5 } })
      .does((relay) => relay.sendReplaced("newer session"))
      .sends({ name: "replaced", reason: "newer session" })
      .does((relay) => relay.sendDrain("again"))
      .fails("session-not-open")
      .isSilent();
    const agent = playbookOfAgent();
    for (const frame of frames) if (!("stream" in frame)) agent.receives(frame).gives(frame);
  });
});
