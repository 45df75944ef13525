import { describe, expect, it } from "vitest";
import { isClosed, withLocal, withRemote } from "./stream-state.ts";
import type { HalfState, StreamState } from "./stream-state.ts";

const HALVES: readonly HalfState[] = ["open", "ended", "stopped"];
const STATES: readonly StreamState[] = HALVES.flatMap((local) =>
  HALVES.map((remote) => ({ local, remote, responded: true })),
);

describe.each(STATES)("a stream with its local half $local and its remote half $remote", (state) => {
  it("is closed when no half is open any more", () => {
    expect(isClosed(state)).toBe(!Object.values(state).includes("open"));
  });

  it.each(HALVES)("moves a half to %s only if it was open, and leaves the other alone", (next) => {
    const local = state.local === "open" ? next : state.local;
    const remote = state.remote === "open" ? next : state.remote;
    expect(withLocal(state, next)).toEqual({ ...state, local });
    expect(withRemote(state, next)).toEqual({ ...state, remote });
  });
});
