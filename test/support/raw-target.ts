import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

/** One request exactly as it stood on the socket. */
export interface RawRequest {
  readonly requestLine: string;
  /** `Name: value` lines in order and spelling. */
  readonly headerLines: readonly string[];
  readonly body: Buffer;
  header(name: string): string | undefined;
}

export interface RawTarget {
  readonly port: number;
  readonly requests: readonly RawRequest[];
}

/** A developer's server as a raw socket, so that no HTTP library hides a byte. Answers each whole request with `answer`. */
export async function startRawTarget(
  answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
): Promise<RawTarget> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let buffered: Buffer = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (chunk) => {
      buffered = Buffer.concat([buffered, chunk]);
      for (let taken = takeRequest(buffered); taken !== undefined; taken = takeRequest(buffered)) {
        buffered = taken.rest;
        requests.push(taken.request);
        socket.write(answer, "latin1");
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return { port: (server.address() as AddressInfo).port, requests };
}

function takeRequest(bytes: Buffer): { request: RawRequest; rest: Buffer } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const [requestLine = "", ...headerLines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const header = (name: string) =>
    headerLines
      .find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
      ?.slice(name.length + 1)
      .trim();
  const bodyStart = headEnd + 4;
  const body =
    header("transfer-encoding") === "chunked"
      ? takeChunked(bytes, bodyStart)
      : takeSized(bytes, bodyStart, Number(header("content-length") ?? 0));
  if (body === undefined) return undefined;
  return { request: { requestLine, headerLines, body: body.bytes, header }, rest: bytes.subarray(body.end) };
}

function takeSized(bytes: Buffer, start: number, length: number): { bytes: Buffer; end: number } | undefined {
  return bytes.length < start + length
    ? undefined
    : { bytes: Buffer.from(bytes.subarray(start, start + length)), end: start + length };
}

function takeChunked(bytes: Buffer, start: number): { bytes: Buffer; end: number } | undefined {
  const parts: Buffer[] = [];
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return { bytes: Buffer.concat(parts), end: next };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
