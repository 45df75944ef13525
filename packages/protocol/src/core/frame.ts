import type { ResetCode, StopCode } from "./close-code.ts";
import type { Hello, Refusal, Welcome } from "./handshake.ts";
import type { HeaderList, RequestHead, ResponseHead } from "./head.ts";

/** Message types of `tenfold.v1`. A number is never given a second meaning. */
export const FRAME_TYPE = {
  hello: 0x01,
  welcome: 0x02,
  refused: 0x03,
  replaced: 0x04,
  drain: 0x05,
  gap: 0x06,
  request: 0x10,
  response: 0x11,
  data: 0x12,
  end: 0x13,
  stop: 0x14,
  reset: 0x15,
  window: 0x16,
  continuation: 0x17,
} as const;
export type FrameName = keyof typeof FRAME_TYPE;

/** Stored deliveries that the relay dropped for age: how many, received from when to when (ms since the epoch). */
export interface Gap {
  readonly count: number;
  readonly from: number;
  readonly to: number;
}

/** On stream 0. */
export type ControlFrame =
  | { readonly name: "hello"; readonly hello: Hello }
  | { readonly name: "welcome"; readonly welcome: Welcome }
  | { readonly name: "refused"; readonly refusal: Refusal }
  | { readonly name: "replaced"; readonly reason: string }
  | { readonly name: "drain"; readonly reason: string }
  | { readonly name: "gap"; readonly gap: Gap };

/** On streams 1 and up. `body` is the first piece of the half, `end` its end in the same message. */
export type StreamFrame =
  | {
      readonly name: "request";
      readonly stream: number;
      readonly head: RequestHead;
      readonly body: Uint8Array;
      readonly end: boolean;
    }
  | {
      readonly name: "response";
      readonly stream: number;
      readonly head: ResponseHead;
      readonly body: Uint8Array;
      readonly end: boolean;
    }
  | { readonly name: "data"; readonly stream: number; readonly chunk: Uint8Array }
  | { readonly name: "end"; readonly stream: number; readonly trailers: HeaderList }
  | { readonly name: "stop"; readonly stream: number; readonly code: StopCode }
  | { readonly name: "reset"; readonly stream: number; readonly code: ResetCode; readonly reason: string }
  | { readonly name: "window"; readonly stream: number; readonly bytes: number };

export type Frame = ControlFrame | StreamFrame;
