/** What can keep a relay from starting, by code. */
export type RelayErrorCode = "port-in-use" | "port-forbidden" | "needs-token" | "bad-config";

/** An error that the operator can do something about. */
export class RelayError extends Error {
  readonly code: RelayErrorCode;
  /** What to do next. */
  readonly hint: string;

  constructor(
    code: RelayErrorCode,
    message: string,
    options: { readonly hint: string; readonly cause?: unknown },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "RelayError";
    this.code = code;
    this.hint = options.hint;
  }
}
