import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { startRawTarget } from "../support/raw-target.ts";
import { createHome } from "../support/temp-home.ts";
import { LINK_TOKEN, shopLink } from "../support/tunnel-link.ts";
import { runTunnel, startTunnel } from "../support/tunnel.ts";
import type { TunnelHome } from "../support/tunnel.ts";

const DOMAIN = "hooks.example.com";

async function startHostRelay(home: TunnelHome, args: readonly string[] = []) {
  const relay = startTunnel(home, [
    "relay",
    "--port",
    "0",
    "--domain",
    DOMAIN,
    "--token",
    LINK_TOKEN,
    "--json",
    ...args,
  ]);
  return { relay, url: String((await relay.waitForEvent("relay.ready"))["url"]) };
}

async function startShop(home: TunnelHome, relayUrl: string) {
  const target = await startRawTarget();
  const agent = startTunnel(home, [String(target.port), ...shopLink(relayUrl)]);
  return { target, publicUrl: String((await agent.waitForEvent("tunnel.ready"))["url"]) };
}

/** Posts to the relay's address under another host name, as a wildcard DNS record would lead there. */
function postAs(relayUrl: string, host: string, path: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(relayUrl);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method: "POST", headers: { Host: host } }, (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (text: string) => (body += text));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    outgoing.on("error", reject).end("hello");
  });
}

describe("a relay with a domain", () => {
  it("gives each tunnel a host of its own, with scheme and port of the public URL", async () => {
    const home = await createHome();
    const { url } = await startHostRelay(home, ["--public-url", "https://hooks.example.com:8443"]);
    expect((await startShop(home, url)).publicUrl).toBe(`https://shop.${DOMAIN}:8443`);
  });

  it("passes every path of that host on, untouched and without a prefix", async () => {
    const home = await createHome();
    const { url } = await startHostRelay(home);
    const { target, publicUrl } = await startShop(home, url);
    const paths = ["/hook?x=%20+", "/healthz", "/t/other/x", "/_tenfold/agent", "//x", "/a/../b", "/"];

    for (const path of paths) {
      expect(await postAs(url, `SHOP.${DOMAIN}.:443`, path)).toEqual({ status: 200, body: "ok" });
    }

    expect(publicUrl).toBe(`http://shop.${DOMAIN}:${new URL(url).port}`);
    expect(target.requests.map(({ requestLine }) => requestLine)).toEqual(
      paths.map((path) => `POST ${path} HTTP/1.1`),
    );
    expect(target.requests[0]?.header("X-Forwarded-Prefix")).toBeUndefined();
    expect(target.requests[0]?.header("X-Forwarded-Host")).toBe(`SHOP.${DOMAIN}.:443`);
  });

  it("keeps path mode under its own name and any other, and finds nothing below a tunnel's host", async () => {
    const home = await createHome();
    const { url } = await startHostRelay(home);
    await startShop(home, url);

    expect((await postAs(url, DOMAIN, "/t/shop/hook")).status).toBe(200);
    expect((await postAs(url, "127.0.0.1", "/t/shop/hook")).status).toBe(200);
    const unknown = await postAs(url, `nobody.${DOMAIN}`, "/hook");
    const nested = await postAs(url, `a.shop.${DOMAIN}`, "/hook");
    expect(unknown.status).toBe(404);
    expect(nested).toEqual(unknown);
  });

  it("refuses a request whose target names another host than its Host field", async () => {
    const home = await createHome();
    const { url } = await startHostRelay(home);
    const { target } = await startShop(home, url);

    expect((await postAs(url, `other.${DOMAIN}`, `http://shop.${DOMAIN}/hook`)).status).toBe(400);
    expect((await postAs(url, `shop.${DOMAIN}`, `http://shop.${DOMAIN}:80/hook`)).status).toBe(200);
    expect(target.requests.map(({ requestLine }) => requestLine)).toEqual(["POST /hook HTTP/1.1"]);
  });

  it.each(["*.example.com", "https://hooks.example.com", "127.0.0.1"])(
    "says what a domain looks like when it is given %s",
    async (domain) => {
      const result = await runTunnel(await createHome(), ["relay", "--port", "0", "--domain", domain]);
      expect(result.exitCode).toBe(2);
      expect(result.stderr).toContain(domain);
      expect(result.stderr).toContain("such as hooks.example.com");
    },
  );
});
