import { EventEmitter, once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

/** One connection as the target sees it. */
export interface TargetConnection {
  readonly socket: Socket;
  /** All bytes so far, one char per byte. */
  received(): string;
  /** Resolves once the bytes received hold `text`. Bounded by the test's own time-out. */
  receivedText(text: string): Promise<void>;
  send(text: string): void;
}

/** A target on a raw socket: what it reads and writes is exactly what stands on the wire. */
export interface RawTarget {
  readonly port: number;
  readonly connections: readonly TargetConnection[];
  /** The n-th connection, counted from 0, as soon as it is there. */
  connection(index: number): Promise<TargetConnection>;
  close(): Promise<void>;
}

/** Listens on a free port of `host`; `onConnection` may script the answers. */
export async function startRawTarget(
  onConnection: (connection: TargetConnection) => void = () => {},
  host = "127.0.0.1",
  wantedPort = 0,
): Promise<RawTarget> {
  const connections: TargetConnection[] = [];
  const arrivals = new EventEmitter();
  const server = createServer((socket) => {
    const connection = watchConnection(socket);
    connections.push(connection);
    onConnection(connection);
    arrivals.emit("connection");
  });
  server.listen(wantedPort, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    connections,
    async connection(index) {
      for (;;) {
        const found = connections[index];
        if (found !== undefined) {
          return found;
        }
        await once(arrivals, "connection");
      }
    },
    async close() {
      for (const { socket } of connections) {
        socket.destroy();
      }
      server.close();
      await once(server, "close");
    },
  };
}

function watchConnection(socket: Socket): TargetConnection {
  const chunks: string[] = [];
  const watchers = new Set<(chunk: string) => void>();
  socket.on("data", (data) => {
    const chunk = data.toString("latin1");
    chunks.push(chunk);
    for (const watch of watchers) {
      watch(chunk);
    }
  });
  // A reset by the other side is part of many tests.
  socket.on("error", () => {});
  return {
    socket,
    received: () => chunks.join(""),
    receivedText: (text) =>
      new Promise((resolve) => {
        // Only the end of what came before can be the start of the text: large bodies are not searched again and again.
        let tail = "";
        function watch(chunk: string): void {
          if (`${tail}${chunk}`.includes(text)) {
            watchers.delete(watch);
            resolve();
          }
          tail = `${tail}${chunk}`.slice(-text.length);
        }
        watchers.add(watch);
        watch(chunks.join(""));
      }),
    send: (text) => {
      socket.write(text, "latin1");
    },
  };
}

/** Answers each whole request head that it sees with `answer`; for requests without a body. */
export function answerEachHead(answer: string): (connection: TargetConnection) => void {
  return (connection) => {
    let answered = 0;
    connection.socket.on("data", () => {
      const heads = connection.received().split("\r\n\r\n").length - 1;
      for (; answered < heads; answered += 1) {
        connection.send(answer);
      }
    });
  };
}
