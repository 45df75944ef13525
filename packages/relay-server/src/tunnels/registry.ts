import { LEASE_MS, MAX_LEASES } from "../limits.ts";

/** What the registry has to know of a session. */
export interface TunnelSession {
  /** Unique in this relay; tells a session's own record from its successor's. */
  readonly id: string;
  readonly name: string;
  /** Id of the token grant that the name belongs to. */
  readonly owner: string;
  readonly resumeSecret: string;
}

export type Claim<Session> =
  /** `previous` served the name until now and is to be ended by the caller. */
  { readonly granted: true; readonly previous: Session | undefined } | { readonly granted: false };

interface Lease {
  readonly owner: string;
  readonly resumeSecret: string;
  /** ms since the epoch. */
  readonly until: number;
}

export interface RegistryDeps {
  /** ms since the epoch. */
  readonly now: () => number;
  /** Default 60 s. */
  readonly leaseMs?: number;
}

/**
 * Which session serves which name. A name is served by one session at a time and stays its token's for `leaseMs` after
 * the session is gone, so that a reconnecting agent finds its public URL again.
 */
export class TunnelRegistry<Session extends TunnelSession> {
  readonly leaseMs: number;
  readonly #now: () => number;
  readonly #live = new Map<string, Session>();
  /** In the order of their ends, since all run equally long. */
  readonly #leases = new Map<string, Lease>();

  constructor(deps: RegistryDeps) {
    this.#now = deps.now;
    this.leaseMs = deps.leaseMs ?? LEASE_MS;
  }

  /** The session that serves the name now. */
  find(name: string): Session | undefined {
    return this.#live.get(name);
  }

  /** Whether the name is served, or kept for the owner of a lost session. */
  isHeld(name: string): boolean {
    return this.#live.has(name) || this.#leaseOf(name) !== undefined;
  }

  /** Whether another owner serves or leases the name. */
  isHeldByOther(name: string, owner: string): boolean {
    const holder = this.#live.get(name) ?? this.#leaseOf(name);
    return holder !== undefined && holder.owner !== owner;
  }

  /** The name that an agent process had in its last session, so that it gets the same one back without asking for it. */
  nameToResume(owner: string, resumeSecret: string): string | undefined {
    this.#dropEndedLeases();
    for (const [name, holder] of [...this.#live, ...this.#leases]) {
      if (holder.owner === owner && holder.resumeSecret === resumeSecret) {
        return name;
      }
    }
    return undefined;
  }

  /** Gives the name to the session at once, whoever of the same owner had it. */
  claim(session: Session): Claim<Session> {
    this.#dropEndedLeases();
    if (this.isHeldByOther(session.name, session.owner)) {
      return { granted: false };
    }
    const previous = this.#live.get(session.name);
    this.#live.set(session.name, session);
    this.#leases.delete(session.name);
    return { granted: true, previous };
  }

  /** Ends the session's own record; a no-op when a newer session has taken the name over. */
  release(session: Session): void {
    if (this.#live.get(session.name)?.id !== session.id) {
      return;
    }
    this.#live.delete(session.name);
    this.#leases.set(session.name, {
      owner: session.owner,
      resumeSecret: session.resumeSecret,
      until: this.#now() + this.leaseMs,
    });
    this.#dropEndedLeases();
  }

  #leaseOf(name: string): Lease | undefined {
    const lease = this.#leases.get(name);
    return lease !== undefined && lease.until > this.#now() ? lease : undefined;
  }

  #dropEndedLeases(): void {
    for (const [name, lease] of this.#leases) {
      if (lease.until > this.#now() && this.#leases.size <= MAX_LEASES) {
        return;
      }
      this.#leases.delete(name);
    }
  }
}
