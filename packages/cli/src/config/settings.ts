/** Where a setting may stand beside the command line, the strongest first. */
type Layer = "env" | "project" | "user";

/** How a value is written in a file, and what is made of it; see `setting-value.ts`. */
export type SettingKind =
  | "text"
  | "number"
  | "seconds"
  | "relay"
  | "target"
  | "file"
  | "probe"
  | "header"
  | "secrets"
  | "relays";

export interface Setting {
  /** In `tenfold.json` and the user's file. */
  readonly key: string;
  /** Of the command line, by commander's camel-case name. */
  readonly option: string;
  /** Environment variable; null: none. */
  readonly env: string | null;
  readonly kind: SettingKind;
  readonly commands: readonly string[];
  readonly layers: readonly Layer[];
  /** Command that takes it as its first argument, not as an option. */
  readonly argumentOf?: string;
  /** Key of a setting that contradicts this one: the one from the stronger layer is taken. */
  readonly rival?: string;
  /** Why a file may not have it, and what to do. */
  readonly refusal?: { readonly why: string; readonly hint: string };
}

const EVERYWHERE: readonly Layer[] = ["env", "project", "user"];
const ALL = ["start", "list", "show", "replay", "resend"];
const SENDING = ["start", "replay", "resend"];
const RUNS = ["replay", "resend"];
const TOKEN_HINT =
  'Set TENFOLD_TOKEN, or write "relays": {"https://…": {"token": "…"}} in your own file, ~/.config/tenfold/config.json.';

/** Every setting that can stand elsewhere than on the command line: one entry each. */
export const SETTINGS: readonly Setting[] = [
  {
    key: "target",
    option: "target",
    env: "TENFOLD_TARGET",
    kind: "target",
    commands: SENDING,
    layers: EVERYWHERE,
    argumentOf: "start",
  },
  {
    key: "relay",
    option: "relay",
    env: "TENFOLD_RELAY",
    kind: "relay",
    commands: ["start"],
    layers: EVERYWHERE,
    rival: "port",
  },
  {
    key: "port",
    option: "port",
    env: "TENFOLD_PORT",
    kind: "number",
    commands: ["start"],
    layers: EVERYWHERE,
    rival: "relay",
  },
  {
    key: "token",
    option: "token",
    env: "TENFOLD_TOKEN",
    kind: "text",
    commands: ["start"],
    layers: ["env"],
    refusal: { why: "a token is a secret, and good for one relay only", hint: TOKEN_HINT },
  },
  {
    key: "relays",
    option: "token",
    env: null,
    kind: "relays",
    commands: ["start"],
    layers: ["user"],
    refusal: { why: "it holds tokens, and this file is shared with others", hint: TOKEN_HINT },
  },
  {
    key: "name",
    option: "name",
    env: "TENFOLD_NAME",
    kind: "text",
    commands: ["start"],
    layers: EVERYWHERE,
  },
  { key: "db", option: "db", env: "TENFOLD_DB", kind: "file", commands: ALL, layers: EVERYWHERE },
  {
    key: "probe",
    option: "probe",
    env: "TENFOLD_PROBE",
    kind: "probe",
    commands: SENDING,
    layers: EVERYWHERE,
  },
  {
    key: "secrets",
    option: "secret",
    // TENFOLD_SECRET_STRIPE and the like, one a provider: `secrets.ts` reads them.
    env: null,
    kind: "secrets",
    commands: SENDING,
    layers: ["project", "user"],
  },
  {
    key: "idempotencyHeader",
    option: "idempotencyHeader",
    env: "TENFOLD_IDEMPOTENCY_HEADER",
    kind: "header",
    commands: ["start"],
    layers: EVERYWHERE,
  },
  {
    key: "hostHeader",
    option: "hostHeader",
    env: "TENFOLD_HOST_HEADER",
    kind: "text",
    commands: ["start"],
    layers: EVERYWHERE,
  },
  {
    key: "timeout",
    option: "timeout",
    env: "TENFOLD_TIMEOUT",
    kind: "seconds",
    commands: SENDING,
    layers: EVERYWHERE,
  },
  { key: "times", option: "times", env: "TENFOLD_TIMES", kind: "number", commands: RUNS, layers: EVERYWHERE },
  {
    key: "settle",
    option: "settle",
    env: "TENFOLD_SETTLE",
    kind: "seconds",
    commands: RUNS,
    layers: EVERYWHERE,
  },
  {
    key: "limit",
    option: "limit",
    env: "TENFOLD_LIMIT",
    kind: "number",
    commands: ["list"],
    layers: EVERYWHERE,
  },
];

/** Keys that a file may have and that mean nothing here: editors look for it. */
export const IGNORED_KEYS: ReadonlySet<string> = new Set(["$schema"]);
