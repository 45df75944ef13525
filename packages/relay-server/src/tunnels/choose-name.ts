import type { Refusal } from "@tenfold/protocol";
import type { TokenGrant } from "../config.ts";
import { createTunnelName, isTunnelName } from "./name.ts";
import type { TunnelRegistry, TunnelSession } from "./registry.ts";

export interface NameWish {
  /** Undefined: the relay chooses. */
  readonly wanted: string | undefined;
  readonly grant: TokenGrant;
  readonly resumeSecret: string;
}

export type ChosenName =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly refusal: Refusal };

/** A random name meets a taken one once in millions; this many in a row means that something else is wrong. */
const MAX_RANDOM_TRIES = 20;

/** The name that a session gets: the wanted one if the token may have it, else the one it had, else a free one. */
export function chooseName(
  wish: NameWish,
  grants: readonly TokenGrant[],
  registry: TunnelRegistry<TunnelSession>,
): ChosenName {
  const name =
    wish.wanted ??
    registry.nameToResume(wish.grant.id, wish.resumeSecret) ??
    freeName(wish, grants, registry);
  if (name === undefined) {
    return refuse(
      "too-many-tunnels",
      "all tunnel names of this token are in use",
      "Name one with --name to take it over.",
    );
  }
  if (!isTunnelName(name)) {
    return refuse("bad-name", `"${name.slice(0, SHOWN_NAME_CHARS)}" can't be a tunnel name`, NAME_RULE);
  }
  if (!mayUse(name, wish.grant, grants)) {
    return refuse(
      "name-not-allowed",
      `this token may not use the name "${name}"`,
      "Take another --name, or ask the operator.",
    );
  }
  return registry.isHeldByOther(name, wish.grant.id)
    ? { ok: false, refusal: nameTaken(name) }
    : { ok: true, name };
}

/** The refusal of a name that another token serves or leases. */
export function nameTaken(name: string): Refusal {
  return {
    code: "name-taken",
    reason: `the name "${name}" is in use by another token`,
    hint: "Take another --name, or leave it out to get a free one.",
  };
}

/** A refusal goes to a terminal and a log: a long name is cut there. */
const SHOWN_NAME_CHARS = 80;

const NAME_RULE = "Use 1 to 63 lower-case letters, digits and dashes, with no dash at either end.";

function refuse(code: Refusal["code"], reason: string, hint: string): ChosenName {
  return { ok: false, refusal: { code, reason, hint } };
}

function mayUse(name: string, grant: TokenGrant, grants: readonly TokenGrant[]): boolean {
  return grant.names === "*" ? !isReserved(name, grants) : grant.names.includes(name);
}

/** Listed by a token: then it is that token's alone. */
export function isReserved(name: string, grants: readonly TokenGrant[]): boolean {
  return grants.some((grant) => grant.names !== "*" && grant.names.includes(name));
}

function freeName(
  wish: NameWish,
  grants: readonly TokenGrant[],
  registry: TunnelRegistry<TunnelSession>,
): string | undefined {
  if (wish.grant.names !== "*") {
    return wish.grant.names.find((name) => registry.find(name) === undefined);
  }
  const tries = Array.from({ length: MAX_RANDOM_TRIES }, () => createTunnelName());
  return tries.find((name) => !registry.isHeld(name) && !isReserved(name, grants));
}
