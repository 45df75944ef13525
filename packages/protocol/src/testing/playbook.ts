import { deepStrictEqual } from "node:assert/strict";
import { ProtocolError } from "../core/errors.ts";
import type { ProtocolErrorCode } from "../core/errors.ts";
import { encodeFrame, FrameDecoder } from "../core/frame-codec.ts";
import type { Frame } from "../core/frame.ts";
import type { Session } from "../core/session.ts";
import type { SessionEvent } from "../core/session-event.ts";

/** What one side did, in the order in which it did it. */
type Reaction =
  | { readonly sent: Frame }
  | { readonly gave: SessionEvent }
  | { readonly failed: ProtocolErrorCode };

/** A conversation with one session, which reads as: receives → gives → sends. Each step throws an `AssertionError` if it fails. */
export interface Playbook {
  /** The peer sends this frame. */
  receives(frame: Frame): Playbook;
  /** The owner of the session acts. */
  does(act: (session: Session) => void): Playbook;
  /** The next reaction is this event. */
  gives(event: SessionEvent): Playbook;
  /** The next reaction is this frame for the peer. */
  sends(frame: Frame): Playbook;
  /** The next reaction is a `ProtocolError` with this code. */
  fails(code: ProtocolErrorCode): Playbook;
  /** Nothing has happened that was not named. Every further `receives` and `does` asserts the same. */
  isSilent(): Playbook;
}

/** Starts a conversation; messages that the session has made before it are not part of it. */
export function playbook(session: Session): Playbook {
  const decoder = new FrameDecoder();
  const reactions: Reaction[] = [];
  session.takeOutgoing();

  const perform = (act: () => SessionEvent | undefined) => {
    expectNone(reactions);
    reactions.push(...reactionTo(act));
    for (const message of session.takeOutgoing()) {
      const sent = decoder.decode(message);
      if (sent !== undefined) reactions.push({ sent: plain(sent) });
    }
  };
  const next = (expected: Reaction): void => {
    deepStrictEqual(reactions.shift(), expected);
  };

  const book: Playbook = {
    receives(frame) {
      perform(() =>
        encodeFrame(frame)
          .map((message) => session.receive(message))
          .at(-1),
      );
      return book;
    },
    does(act) {
      perform(() => {
        act(session);
        return undefined;
      });
      return book;
    },
    gives(event) {
      next({ gave: plain(event) });
      return book;
    },
    sends(frame) {
      next({ sent: plain(frame) });
      return book;
    },
    fails(code) {
      next({ failed: code });
      return book;
    },
    isSilent() {
      expectNone(reactions);
      return book;
    },
  };
  return book;
}

function expectNone(reactions: readonly Reaction[]): void {
  deepStrictEqual(reactions, [], "a reaction that the playbook does not name");
}

function reactionTo(act: () => SessionEvent | undefined): Reaction[] {
  try {
    const gave = act();
    return gave === undefined ? [] : [{ gave: plain(gave) }];
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return [{ failed: error.code }];
  }
}

/** Byte arrays of one class, so that a `Buffer` and a `Uint8Array` of the same bytes are equal. */
function plain<T extends Frame | SessionEvent>(value: T): T {
  const fields = Object.entries(value).map(([name, field]: [string, unknown]) => [
    name,
    field instanceof Uint8Array ? Uint8Array.from(field) : field,
  ]);
  return Object.fromEntries(fields) as T;
}
