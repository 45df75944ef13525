/** Exit codes, a public contract (docs/json.md). */
export const EXIT = {
  good: 0,
  bad: 1,
  usage: 2,
  targetUnreachable: 3,
  relay: 4,
  noSuchDelivery: 5,
  probeFailed: 6,
  inconclusive: 7,
  localState: 8,
  linkLost: 9,
  bug: 70,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Every error that a user can meet: its code (stable, in JSON) and the exit code that it ends with. */
export const ERROR_CODES = {
  usage: EXIT.usage,
  "bad-port": EXIT.usage,
  "bad-target": EXIT.usage,
  "bad-probe": EXIT.usage,
  "bad-config": EXIT.usage,
  "ambiguous-ref": EXIT.usage,
  "rekey-impossible": EXIT.usage,
  "no-target": EXIT.usage,
  "body-truncated": EXIT.usage,
  "plaintext-token": EXIT.usage,
  "target-unreachable": EXIT.targetUnreachable,
  "relay-unreachable": EXIT.relay,
  "relay-refused": EXIT.relay,
  replaced: EXIT.relay,
  "no-such-delivery": EXIT.noSuchDelivery,
  "probe-failed": EXIT.probeFailed,
  "db-unwritable": EXIT.localState,
  "db-corrupt": EXIT.localState,
  "db-newer": EXIT.localState,
  "db-busy": EXIT.localState,
  "disk-full": EXIT.localState,
  "no-sqlite": EXIT.localState,
  "port-in-use": EXIT.localState,
  "port-forbidden": EXIT.localState,
  interrupted: EXIT.interrupted,
} as const satisfies Record<string, ExitCode>;
export type CliErrorCode = keyof typeof ERROR_CODES;

/** An error that the user can do something about. Anything else that reaches the top is a bug of ours (exit 70). */
export class CliError extends Error {
  readonly code: CliErrorCode;
  /** What to do next. */
  readonly hint: string;
  /** For `ambiguous-ref`: the candidates, one a line. */
  readonly details: readonly string[];

  constructor(
    code: CliErrorCode,
    message: string,
    options: { readonly hint: string; readonly cause?: unknown; readonly details?: readonly string[] },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "CliError";
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? [];
  }

  get exitCode(): ExitCode {
    return ERROR_CODES[this.code];
  }
}
