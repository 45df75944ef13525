import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

/** A TCP link to a port of this machine that a test can break. Ends with the test. */
export interface FaultyLink {
  readonly port: number;
  /** Resets every open connection (RST); new ones work. */
  cut(): void;
  /** From now on no byte passes, in connections old and new, and nobody is told. */
  swallow(): void;
  /** Lets new connections pass again. Those that were open while bytes were swallowed stay dead. */
  heal(): void;
}

export async function startFaultyLink(toPort: number): Promise<FaultyLink> {
  const pairs = new Set<Pair>();
  let isSwallowing = false;

  const server = createServer((near) => {
    const far = connect(toPort, "127.0.0.1");
    const pair = { near, far };
    pairs.add(pair);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      // The other end's fate is what a test looks at.
      from.on("error", () => {});
      from.on("data", (chunk) => to.write(chunk));
      from.on("end", () => to.end());
      from.on("close", () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
    if (isSwallowing) deafen(pair);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(async () => {
    for (const { near, far } of pairs) {
      near.destroy();
      far.destroy();
    }
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });

  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      for (const { near, far } of pairs) {
        near.resetAndDestroy();
        far.resetAndDestroy();
      }
    },
    swallow() {
      isSwallowing = true;
      for (const pair of pairs) deafen(pair);
    },
    heal() {
      isSwallowing = false;
    },
  };
}

/** Takes what comes and passes nothing on, not even the end: as a firewall that forgot the connection. */
function deafen({ near, far }: Pair): void {
  for (const socket of [near, far]) {
    socket.removeAllListeners("data").removeAllListeners("end").removeAllListeners("close");
    socket.resume();
  }
}
