import { describe, expect, it } from "vitest";
import { MAX_LEASES } from "../limits.ts";
import { TunnelRegistry, type TunnelSession } from "./registry.ts";

const session = (id: string, fields: Partial<TunnelSession> = {}): TunnelSession => ({
  id,
  name: "one",
  owner: "ann",
  resumeSecret: "secret",
  ...fields,
});

const createClock = (): { ms: number; readonly registry: TunnelRegistry<TunnelSession> } => {
  const time = { ms: 1_000 };
  const registry = new TunnelRegistry<TunnelSession>({ now: () => time.ms, leaseMs: 100 });
  return Object.assign(time, { registry });
};

describe("TunnelRegistry", () => {
  it("gives a name to a newer session of the same owner at once and names the older one", () => {
    const { registry } = createClock();
    const [first, second] = [session("1"), session("2")];
    expect(registry.claim(first)).toEqual({ granted: true, previous: undefined });
    expect(registry.claim(second)).toEqual({ granted: true, previous: first });
    expect(registry.find("one")).toBe(second);
  });

  it("lets a closing session touch its own record only", () => {
    const { registry } = createClock();
    const [first, second] = [session("1"), session("2")];
    registry.claim(first);
    registry.claim(second);
    registry.release(first);
    expect(registry.find("one")).toBe(second);
    registry.release(second);
    expect(registry.find("one")).toBeUndefined();
  });

  it("refuses another owner while the name is served, and while it is leased", () => {
    const clock = createClock();
    const { registry } = clock;
    const first = session("1");
    const other = session("2", { owner: "bob" });
    registry.claim(first);
    expect(registry.claim(other)).toEqual({ granted: false });
    registry.release(first);
    clock.ms += 99;
    expect(registry.isHeld("one")).toBe(true);
    expect(registry.claim(other)).toEqual({ granted: false });
    clock.ms += 1;
    expect(registry.isHeld("one")).toBe(false);
    expect(registry.claim(other)).toEqual({ granted: true, previous: undefined });
  });

  it("starts a lease anew each time that a session is lost", () => {
    const clock = createClock();
    const { registry } = clock;
    for (const id of ["1", "2", "3"]) {
      registry.claim(session(id));
      registry.release(session(id));
      clock.ms += 99;
    }
    expect(registry.isHeldByOther("one", "bob")).toBe(true);
  });

  it("knows the name that an agent had, by owner and resume secret, until the lease ends", () => {
    const clock = createClock();
    const { registry } = clock;
    registry.claim(session("1"));
    expect(registry.nameToResume("ann", "secret")).toBe("one");
    registry.release(session("1"));
    expect(registry.nameToResume("ann", "secret")).toBe("one");
    expect(registry.nameToResume("bob", "secret")).toBeUndefined();
    expect(registry.nameToResume("ann", "other")).toBeUndefined();
    clock.ms += 100;
    expect(registry.nameToResume("ann", "secret")).toBeUndefined();
  });

  it("keeps a bounded number of leases, those that end last", () => {
    const { registry } = createClock();
    const lease = (number: number): void => {
      const one = session(String(number), { name: `name-${number}` });
      registry.claim(one);
      registry.release(one);
    };
    for (let number = 0; number < MAX_LEASES; number += 1) {
      lease(number);
    }
    lease(0);
    lease(MAX_LEASES);
    expect(registry.isHeld("name-0")).toBe(true);
    expect(registry.isHeld("name-1")).toBe(false);
    expect(registry.isHeld("name-2")).toBe(true);
    expect(registry.isHeld(`name-${MAX_LEASES}`)).toBe(true);
  });
});
