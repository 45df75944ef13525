import type { ControlFrame, StreamFrame } from "./frame.ts";

/** What a received message means. Frames that came too late for their stream give none. */
export type SessionEvent =
  | ControlFrame
  | Exclude<StreamFrame, { readonly name: "window" }>
  /** The stream may send again. */
  | { readonly name: "credit"; readonly stream: number };
