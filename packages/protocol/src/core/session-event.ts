import type { ResetCode, StopCode } from "./close-code.ts";
import type { Hello, Refusal, Welcome } from "./handshake.ts";
import type { HeaderList, RequestHead, ResponseHead } from "./head.ts";
import type { Gap } from "./frame.ts";

/** What a received message means. Frames that came too late for their stream give none. */
export type SessionEvent =
  | { readonly name: "hello"; readonly hello: Hello }
  | { readonly name: "welcome"; readonly welcome: Welcome }
  | { readonly name: "refused"; readonly refusal: Refusal }
  | { readonly name: "replaced"; readonly reason: string }
  | { readonly name: "drain"; readonly reason: string }
  | { readonly name: "gap"; readonly gap: Gap }
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
  /** The stream may send again. */
  | { readonly name: "credit"; readonly stream: number };
