import { expect, describe, it } from "vitest";
import { startFaultyLink } from "../support/faulty-link.ts";
import { createHome } from "../support/temp-home.ts";
import { deliver, deliverUntilTaken, startAgent, startRelay } from "../support/tunnel-link.ts";
import { runTunnel } from "../support/tunnel.ts";

/** How soon a tunnel has to work again once its link does, in ms. */
const BACK_WITHIN_MS = 10_000;
/** Ping after 15 s of silence, and 10 s for its answer; the rest is for a busy machine. */
const NOTICED_WITHIN_MS = 28_000;
/** Longer than both: the relay has given the agent up. */
const FREEZE_MS = 40_000;

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

describe("a tunnel whose link breaks", () => {
  it("works again each time after five cuts in a row, under its name, without a restart", async () => {
    const home = await createHome();
    const { url, port } = await startRelay(home);
    const link = await startFaultyLink(Number(port));
    const { agent, target } = await startAgent(home, `http://127.0.0.1:${link.port}`);

    for (let cut = 1; cut <= 5; cut += 1) {
      link.cut();
      await agent.waitForEvent("tunnel.down", cut);
      await deliverUntilTaken(`${url}/t/shop/hook`, `after cut ${cut}`, BACK_WITHIN_MS);
      await agent.waitForEvent("tunnel.ready", cut + 1);
    }

    expect(target.requests.map(({ body }) => body.toString())).toEqual(
      [1, 2, 3, 4, 5].map((cut) => `after cut ${cut}`),
    );
    const list = await runTunnel(home, ["list", "--json"]);
    expect(list.events).toHaveLength(5);
    expect(agent.hasExited).toBe(false);
  }, 90_000);

  it("answers what was under way when the link was cut with 502, and says so", async () => {
    const home = await createHome();
    const { url, port } = await startRelay(home);
    const link = await startFaultyLink(Number(port));
    const { agent } = await startAgent(home, `http://127.0.0.1:${link.port}`);
    link.swallow();

    const underWay = deliver(`${url}/t/shop/hook`, "never arrives");
    await sleep(300);
    link.cut();

    expect(await underWay).toBe(502);
    link.heal();
    await agent.waitForEvent("tunnel.ready", 2);
    expect(await deliver(`${url}/t/shop/hook`, "arrives")).toBe(200);
  }, 60_000);

  it("notices on both sides that a link is silent, and works again once the link does", async () => {
    const home = await createHome();
    const { url, port } = await startRelay(home);
    const link = await startFaultyLink(Number(port));
    const { agent } = await startAgent(home, `http://127.0.0.1:${link.port}`);

    link.swallow();
    const silentSince = Date.now();
    // Hangs in the dead link until the relay gives it up.
    const lost = await deliver(`${url}/t/shop/hook`, "lost", NOTICED_WITHIN_MS);
    const relayNoticedMs = Date.now() - silentSince;
    await agent.waitForEvent("tunnel.down");
    const agentNoticedMs = Date.now() - silentSince;
    const offline = await deliver(`${url}/t/shop/hook`, "offline");
    link.heal();
    await deliverUntilTaken(`${url}/t/shop/hook`, "back", BACK_WITHIN_MS);

    expect(lost).toBe(502);
    expect(offline).toBe(503);
    expect(relayNoticedMs).toBeLessThan(NOTICED_WITHIN_MS);
    expect(agentNoticedMs).toBeLessThan(NOTICED_WITHIN_MS);
  }, 120_000);
});

describe("an agent that is frozen", () => {
  it("is given up by the relay, callers get an answer, and it works again after 40 s without a restart", async () => {
    const home = await createHome();
    const { url } = await startRelay(home);
    const { agent, target } = await startAgent(home, url);

    agent.child.kill("SIGSTOP");
    const frozenAt = Date.now();
    const meanwhile = await deliver(`${url}/t/shop/hook`, "while frozen", NOTICED_WITHIN_MS);
    await sleep(frozenAt + FREEZE_MS - Date.now());
    const stillFrozen = await deliver(`${url}/t/shop/hook`, "still frozen");
    agent.child.kill("SIGCONT");
    await deliverUntilTaken(`${url}/t/shop/hook`, "thawed", BACK_WITHIN_MS);

    expect(meanwhile).toBe(502);
    expect(stillFrozen).toBe(503);
    expect(target.requests.at(-1)?.body.toString()).toBe("thawed");
    expect(agent.hasExited).toBe(false);
  }, 120_000);
});

describe("a relay that is killed and started again", () => {
  it("serves the tunnel under the same name and URL, without a restart of the agent", async () => {
    const home = await createHome();
    const { relay, url, port } = await startRelay(home);
    const { agent } = await startAgent(home, url);
    expect(await deliver(`${url}/t/shop/hook`, "before")).toBe(200);

    await relay.stop("SIGKILL");
    await agent.waitForEvent("tunnel.down");
    await sleep(3_000);
    await startRelay(home, port);
    await deliverUntilTaken(`${url}/t/shop/hook`, "after", BACK_WITHIN_MS);

    expect((await agent.waitForEvent("tunnel.ready", 2))["url"]).toBe(`${url}/t/shop`);
  }, 60_000);
});
