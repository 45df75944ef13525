import { describe, expect, it } from "vitest";
import { HELLO, REQUEST, RESPONSE, WELCOME } from "../testing/frame-factory.ts";
import { ProtocolError } from "./errors.ts";
import { encodeFrame } from "./frame-codec.ts";
import type { Frame } from "./frame.ts";
import { INITIAL_WINDOW_BYTES } from "./limits.ts";
import { Session } from "./session.ts";
import type { Role } from "./session.ts";

const EMPTY = new Uint8Array(0);
const ONE = new Uint8Array([1]);

function give(session: Session, frame: Frame) {
  return encodeFrame(frame)
    .map((message) => session.receive(message))
    .at(-1);
}

function outcome(session: Session, frame: Frame): string {
  try {
    return give(session, frame)?.name ?? "ignored";
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return `error ${error.code}`;
  }
}

/** Every frame once, for stream 1 where it has one. */
const FRAMES: readonly Frame[] = [
  { name: "hello", hello: HELLO },
  { name: "welcome", welcome: WELCOME },
  { name: "refused", refusal: { code: "bad-token", reason: "", hint: "" } },
  { name: "replaced", reason: "" },
  { name: "drain", reason: "" },
  { name: "gap", gap: { count: 1, from: 0, to: 0 } },
  { name: "request", stream: 1, head: REQUEST, body: EMPTY, end: false },
  { name: "response", stream: 1, head: RESPONSE, body: ONE, end: false },
  { name: "data", stream: 1, chunk: ONE },
  { name: "end", stream: 1, trailers: [] },
  { name: "stop", stream: 1, code: "not-needed" },
  { name: "reset", stream: 1, code: "internal", reason: "" },
  { name: "window", stream: 1, bytes: 10 },
];

function opened(role: Role): Session {
  const session = new Session(role);
  if (role === "relay") {
    give(session, { name: "hello", hello: HELLO });
    session.sendWelcome(WELCOME);
  } else {
    session.sendHello(HELLO);
    give(session, { name: "welcome", welcome: WELCOME });
  }
  return session;
}

function relayWith(change: (session: Session) => void = () => {}): Session {
  const session = opened("relay");
  session.openStream(REQUEST, EMPTY, false);
  change(session);
  return session;
}

function agentWith(change: (session: Session) => void = () => {}): Session {
  const session = opened("agent");
  give(session, { name: "request", stream: 1, head: REQUEST, body: EMPTY, end: false });
  change(session);
  return session;
}

const UNEXPECTED = "error unexpected-frame";
const UNKNOWN = "error unknown-stream";
/** hello welcome refused replaced drain gap | request response data end stop reset window */
const TABLE: [string, () => Session, string[]][] = [
  [
    "a relay that waits for hello",
    () => new Session("relay"),
    ["hello", ...Array<string>(12).fill(UNEXPECTED)],
  ],
  [
    "an agent that waits for its welcome",
    () => {
      const session = new Session("agent");
      session.sendHello(HELLO);
      return session;
    },
    [UNEXPECTED, "welcome", "refused", ...Array<string>(10).fill(UNEXPECTED)],
  ],
  [
    "a relay without streams",
    () => opened("relay"),
    [...Array<string>(7).fill(UNEXPECTED), ...Array<string>(6).fill(UNKNOWN)],
  ],
  [
    "an agent without streams",
    () => opened("agent"),
    [
      UNEXPECTED,
      UNEXPECTED,
      UNEXPECTED,
      "replaced",
      "drain",
      "gap",
      "request",
      ...Array<string>(6).fill(UNKNOWN),
    ],
  ],
  [
    "a relay with an open stream before its answer",
    () => relayWith(),
    [...Array<string>(7).fill(UNEXPECTED), "response", UNEXPECTED, UNEXPECTED, "stop", "reset", "credit"],
  ],
  [
    "a relay with a stream in mid-answer",
    () =>
      relayWith((session) =>
        give(session, { name: "response", stream: 1, head: RESPONSE, body: EMPTY, end: false }),
      ),
    [...Array<string>(7).fill(UNEXPECTED), UNEXPECTED, "data", "end", "stop", "reset", "credit"],
  ],
  [
    "a relay whose answer is whole while its request goes on",
    () =>
      relayWith((session) =>
        give(session, { name: "response", stream: 1, head: RESPONSE, body: EMPTY, end: true }),
      ),
    [...Array<string>(7).fill(UNEXPECTED), UNEXPECTED, UNEXPECTED, UNEXPECTED, "stop", "reset", "credit"],
  ],
  [
    "a relay that has reset the stream: what was on its way is late, not wrong",
    () => relayWith((session) => session.sendReset(1, "caller-gone", "")),
    [...Array<string>(7).fill(UNEXPECTED), ...Array<string>(6).fill("ignored")],
  ],
  [
    "an agent with an open stream",
    () => agentWith(),
    [
      UNEXPECTED,
      UNEXPECTED,
      UNEXPECTED,
      "replaced",
      "drain",
      "gap",
      UNEXPECTED,
      UNEXPECTED,
      "data",
      "end",
      "stop",
      "reset",
      "credit",
    ],
  ],
  [
    "an agent that has stopped the upload: its bytes are swallowed",
    () => agentWith((session) => session.sendStop(1, "not-needed")),
    [
      UNEXPECTED,
      UNEXPECTED,
      UNEXPECTED,
      "replaced",
      "drain",
      "gap",
      UNEXPECTED,
      UNEXPECTED,
      "ignored",
      "ignored",
      "stop",
      "reset",
      "credit",
    ],
  ],
  [
    "an agent whose answer was stopped",
    () => agentWith((session) => give(session, { name: "stop", stream: 1, code: "not-needed" })),
    [
      UNEXPECTED,
      UNEXPECTED,
      UNEXPECTED,
      "replaced",
      "drain",
      "gap",
      UNEXPECTED,
      UNEXPECTED,
      "data",
      "end",
      "ignored",
      "reset",
      "credit",
    ],
  ],
  [
    "an agent that was replaced: only control frames are still wrong",
    () => {
      const session = opened("agent");
      give(session, { name: "replaced", reason: "" });
      return session;
    },
    [...Array<string>(6).fill(UNEXPECTED), ...Array<string>(7).fill("ignored")],
  ],
];

describe("each state meets each frame", () => {
  it.each(TABLE)("%s", (_, create, expected) => {
    expect(FRAMES.map((frame) => outcome(create(), frame))).toEqual(expected);
  });
});

describe("a stream", () => {
  it("is forgotten by both sides at the same point, whichever way its halves end", () => {
    type Step = (relay: Session, agent: Session) => void;
    const endings: Step[] = [
      (relay) => relay.sendEnd(1, []),
      (relay) => relay.sendStop(1, "not-needed"),
      (_relay, agent) => agent.sendEnd(1, []),
      (_relay, agent) => agent.sendStop(1, "not-needed"),
      (relay) => relay.sendReset(1, "caller-gone", ""),
      (_relay, agent) => agent.sendReset(1, "internal", ""),
    ];
    for (const first of endings) {
      for (const second of endings) {
        const relay = relayWith();
        const agent = opened("agent");
        const exchange = () => {
          for (const message of relay.takeOutgoing()) if (message[0] !== 0x02) agent.receive(message);
          for (const message of agent.takeOutgoing()) if (message[0] !== 0x01) relay.receive(message);
        };
        exchange();
        agent.respond(1, RESPONSE, EMPTY, false);
        exchange();
        first(relay, agent);
        exchange();
        second(relay, agent);
        exchange();
        expect(relay.openStreams).toBe(agent.openStreams);
        expect(relay.stateOf(1)?.local === "open").toBe(agent.stateOf(1)?.remote === "open");
      }
    }
  });

  it("may send no more than its credit", () => {
    const agent = agentWith();
    agent.respond(1, RESPONSE, EMPTY, false);
    expect(agent.credit(1)).toBe(INITIAL_WINDOW_BYTES);
    const relay = relayWith((session) =>
      give(session, { name: "response", stream: 1, head: RESPONSE, body: EMPTY, end: false }),
    );
    const piece = new Uint8Array(32 * 1024);
    expect(() => {
      for (let i = 0; i < 9; i += 1) give(relay, { name: "data", stream: 1, chunk: piece });
    }).toThrow(expect.objectContaining({ code: "flow-control" }));
  });

  it("is never opened beyond the limit of the welcome, and the agent holds the relay to it", () => {
    const relay = opened("relay");
    const agent = opened("agent");
    for (let i = 1; i <= WELCOME.limits.maxStreams; i += 1) {
      relay.openStream(REQUEST, EMPTY, false);
      give(agent, { name: "request", stream: i, head: REQUEST, body: EMPTY, end: false });
    }
    expect(() => relay.openStream(REQUEST, EMPTY, false)).toThrow(
      expect.objectContaining({ code: "too-many-streams" }),
    );
    expect(outcome(agent, { name: "request", stream: 9, head: REQUEST, body: EMPTY, end: false })).toBe(
      "ignored",
    );
    expect(agent.openStreams).toBe(WELCOME.limits.maxStreams);
  });
});

describe("an intent out of turn", () => {
  it.each([
    ["a welcome before hello", () => new Session("relay").sendWelcome(WELCOME)],
    ["a hello from a relay", () => new Session("relay").sendHello(HELLO)],
    ["a stream before the welcome", () => new Session("relay").openStream(REQUEST, EMPTY, true)],
    ["a stream from an agent", () => opened("agent").openStream(REQUEST, EMPTY, true)],
  ])("is refused: %s", (_, act) => {
    expect(act).toThrow(expect.objectContaining({ code: "session-not-open" }));
  });
});
