/**
 * The two halves of a stream. Each goes its own way, one step only:
 *
 * ```
 *            end sent/received          ┌──────▶ ended     the sender said that it was whole
 *   open ───────────────────────────────┤
 *            stop received/sent         └──────▶ stopped   its reader wants no more of it
 *
 *   reset, in either direction: both halves are over at once
 * ```
 */
export type HalfState = "open" | "ended" | "stopped";

export interface StreamState {
  /** What we send. */
  readonly local: HalfState;
  /** What the peer sends. */
  readonly remote: HalfState;
  /** Has the response head passed (in either direction)? */
  readonly responded: boolean;
}

export const OPEN: StreamState = { local: "open", remote: "open", responded: false };

export function isClosed(state: StreamState): boolean {
  return state.local !== "open" && state.remote !== "open";
}

export function withLocal(state: StreamState, local: HalfState): StreamState {
  return state.local === "open" ? { ...state, local } : state;
}

export function withRemote(state: StreamState, remote: HalfState): StreamState {
  return state.remote === "open" ? { ...state, remote } : state;
}
