import type { RefusalCode } from "../../packages/protocol/src/index.ts";
import type { CliErrorCode, ExitCode } from "../../packages/cli/src/errors.ts";
import type { RelayErrorCode } from "../../packages/relay-server/src/errors.ts";

export interface ErrorText {
  readonly when: string;
  readonly remedy: string;
}

/** A code without a text here does not compile: the reference can't fall behind the tables. */
export const CLI_ERROR_TEXTS: Record<CliErrorCode | "bug", ErrorText> = {
  usage: {
    when: "An option or argument is unknown, missing, empty, given twice, or does not go with another.",
    remedy: "The message names it; `tunnel <command> --help` lists what there is.",
  },
  "bad-port": { when: "A port is not a whole number from 1 to 65535.", remedy: "Give the port of your app." },
  "bad-target": {
    when: "A target is neither a port nor an http(s) URL that can be sent to.",
    remedy: "Write `3000`, `localhost:3000` or `http://host:port/path`.",
  },
  "bad-probe": {
    when: "A probe's specification can't be read, or it points at Tenfold's own history.",
    remedy: "Write `sqlite:FILE`, with the database of your handler.",
  },
  "bad-config": {
    when: "A file of settings can't be read, is no JSON, or has a key or a value that does not belong there.",
    remedy: "The message names the file, the key and, for JSON, the line.",
  },
  "ambiguous-ref": {
    when: "A short id, or a key, fits more than one delivery.",
    remedy: "Take one of the ids that the message lists.",
  },
  "rekey-impossible": {
    when: "A replay as new needs a fresh key, and the webhook has none that could be replaced.",
    remedy: "Add `--idempotency-header`, or resend under the same key.",
  },
  "no-target": {
    when: "The delivery was recorded without a target, and none was given.",
    remedy: "Add `--target PORT`.",
  },
  "body-truncated": {
    when: "The body was larger than what the history keeps, so it can't be sent again byte for byte.",
    remedy: "Choose another delivery with `tunnel list`, or have the provider send this one again.",
  },
  "plaintext-token": {
    when: "A token would cross an unencrypted link to another machine.",
    remedy: "Use an `https://` relay URL.",
  },
  "target-unreachable": {
    when: "No attempt reached the app.",
    remedy: "Start the app, or check `--target`.",
  },
  "relay-unreachable": {
    when: "The relay did not answer, or what answered is no relay.",
    remedy: "Check the URL, and that the relay runs.",
  },
  "relay-refused": {
    when: "The relay said no, for one of the [reasons below](#refusals).",
    remedy: "The message repeats the relay's reason and hint.",
  },
  replaced: {
    when: "Another process took over the tunnel's name with the same token; the older one ends.",
    remedy: "Keep one of the two, or give each its own `--name`.",
  },
  "no-such-delivery": {
    when: "Nothing in the history has that id, key or position.",
    remedy: "`tunnel list` shows what there is.",
  },
  "probe-failed": {
    when: "The handler's database could not be read, before or during a run.",
    remedy: "Check the path and its permissions; the message has the cause.",
  },
  "db-unwritable": {
    when: "The history can't be opened or written.",
    remedy: "Check the folder's permissions, or choose another file with `--db`.",
  },
  "db-corrupt": {
    when: "The history file is damaged, or is no history.",
    remedy: "Move it away and start anew, or choose another with `--db`.",
  },
  "db-newer": {
    when: "A newer Tenfold wrote the history.",
    remedy: "Upgrade, or choose another file with `--db`.",
  },
  "db-busy": {
    when: "Another process holds the history's lock for too long.",
    remedy: "End the other process, or try again.",
  },
  "disk-full": {
    when: "The disk of the history is full.",
    remedy: "Free some space, or move it with `--db`.",
  },
  "no-sqlite": {
    when: "better-sqlite3 is not installed for this Node.",
    remedy: "Run the install again; without a ready-made binary it needs python3, make and a C++ compiler.",
  },
  "port-in-use": {
    when: "Another program listens on the port.",
    remedy: "End it, or take another `--port`.",
  },
  "port-forbidden": {
    when: "This user may not listen on the port.",
    remedy: "Take a port above 1023, or grant the right to bind it.",
  },
  interrupted: { when: "Ctrl-C or SIGTERM ended the command before its end.", remedy: "Run it again." },
  bug: {
    when: "Something that should not happen did.",
    remedy: "Report it, with the output of the same command under `--debug`.",
  },
};

export const EXIT_TEXTS: Record<ExitCode, string> = {
  0: "good; for a tunnel: it was stopped",
  1: "bad, or an attempt that was not acknowledged",
  2: "wrong usage: nothing was sent",
  3: "no attempt reached the app",
  4: "the relay is unreachable, refused, or gave the name to another process",
  5: "no such delivery",
  6: "the probe failed",
  7: "inconclusive",
  8: "local state: database, port, disk",
  9: "the link was lost for good",
  70: "a defect of Tenfold",
  130: "interrupted",
};

export const REFUSAL_TEXTS: Record<RefusalCode, ErrorText> = {
  "bad-token": {
    when: "The relay does not know the token.",
    remedy: "Check `TENFOLD_TOKEN`, or ask the operator for one.",
  },
  "name-taken": {
    when: "Another token serves the name, or did within its lease.",
    remedy: "Take another `--name`, or leave it out.",
  },
  "bad-name": {
    when: "The name is no DNS label.",
    remedy: "Use 1 to 63 lower-case letters, digits and dashes, with no dash at either end.",
  },
  "name-not-allowed": {
    when: "The token is limited to other names, or another token has reserved this one.",
    remedy: "Take another `--name`, or ask the operator.",
  },
  version: {
    when: "Agent and relay speak different major versions of the protocol.",
    remedy: "Upgrade the older of the two.",
  },
  "too-many-tunnels": {
    when: "All names of the token are in use.",
    remedy: "Name one with `--name` to take it over.",
  },
  "bad-hello": { when: "The agent's first message lacks something.", remedy: "Upgrade the agent." },
};

export const RELAY_ERROR_TEXTS: Record<RelayErrorCode, ErrorText> = {
  "port-in-use": {
    when: "Another program listens on the port.",
    remedy: "End it, or take another `--port`.",
  },
  "port-forbidden": {
    when: "This user may not listen on the port.",
    remedy: "Take a port above 1023, and let the TLS proxy have 443.",
  },
  "needs-token": {
    when: "The relay would listen beyond loopback without a token.",
    remedy: "Set `TENFOLD_RELAY_TOKENS`.",
  },
  "bad-config": {
    when: "A setting of the relay can't be used.",
    remedy: "The message names it and says why.",
  },
};
