export { createRelay } from "./create-relay.ts";
export { hashToken } from "./tokens/hash-token.ts";
export { RelayError } from "./errors.ts";
export type { RelayErrorCode } from "./errors.ts";
export type { Relay, RelayConfig, RelayDeps, RelayLog, TokenGrant } from "./config.ts";
