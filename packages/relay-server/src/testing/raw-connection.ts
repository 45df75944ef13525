import { connect, type Socket } from "node:net";

/** One HTTP response as it stood on the wire. */
export interface RawResponse {
  readonly statusLine: string;
  readonly status: number;
  /** Header lines as sent, in order. */
  readonly lines: readonly string[];
  readonly body: Buffer;
  /** Trailer lines of a chunked body. */
  readonly trailers: readonly string[];
}

/** How long a test waits for bytes before it fails with what it has, in ms. */
const READ_TIMEOUT_MS = 5_000;

/** A public caller that sees and sends bytes, not messages. */
export class RawConnection {
  readonly socket: Socket;
  /** Resolves when the connection is gone; `ECONNRESET` and the like, or undefined after an orderly end. */
  readonly closed: Promise<string | undefined>;
  #received = Buffer.alloc(0);
  #isEnded = false;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    let errorCode: string | undefined;
    socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      errorCode = error.code ?? error.message;
    });
    socket.on("end", () => {
      this.#isEnded = true;
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.#isEnded = true;
        this.#wake();
        resolve(errorCode);
      });
    });
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect(port, "127.0.0.1");
    const connection = new RawConnection(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return connection;
  }

  /** Strings are latin1: one char a byte. */
  send(bytes: string | Uint8Array): void {
    this.socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  }

  /** Reads one response; `hasBody: false` for one to HEAD. */
  async readResponse(options: { readonly hasBody?: boolean } = {}): Promise<RawResponse> {
    const { statusLine, lines } = await this.readHead();
    const status = Number(statusLine.split(" ")[1]);
    const hasBody = options.hasBody !== false && status >= 200 && status !== 204 && status !== 304;
    const { body, trailers } = hasBody
      ? await this.#readBody(lines)
      : { body: Buffer.alloc(0), trailers: [] };
    return { statusLine, status, lines, body, trailers };
  }

  async readHead(): Promise<{ readonly statusLine: string; readonly lines: readonly string[] }> {
    const text = (await this.#readUntil("\r\n\r\n")).toString("latin1");
    const [statusLine = "", ...lines] = text.split("\r\n");
    return { statusLine, lines };
  }

  async read(bytes: number): Promise<Buffer> {
    await this.#waitFor(() => this.#received.length >= bytes, `${bytes} bytes`);
    return this.#take(bytes);
  }

  /** All that comes until the peer ends the connection. */
  async readToEnd(): Promise<Buffer> {
    await this.#waitFor(() => this.#isEnded, "the end");
    return this.#take(this.#received.length);
  }

  destroy(): void {
    this.socket.destroy();
  }

  async #readBody(lines: readonly string[]): Promise<{ body: Buffer; trailers: readonly string[] }> {
    const length = fieldOf(lines, "content-length");
    if (length !== undefined) {
      return { body: await this.read(Number(length)), trailers: [] };
    }
    return fieldOf(lines, "transfer-encoding") === "chunked"
      ? await this.#readChunks()
      : { body: await this.readToEnd(), trailers: [] };
  }

  async #readChunks(): Promise<{ body: Buffer; trailers: readonly string[] }> {
    const chunks: Buffer[] = [];
    for (;;) {
      const size = Number.parseInt((await this.#readUntil("\r\n")).toString("latin1"), 16);
      if (size === 0) {
        break;
      }
      chunks.push(await this.read(size));
      await this.#readUntil("\r\n");
    }
    const trailers: string[] = [];
    for (let line = await this.#readLine(); line !== ""; line = await this.#readLine()) {
      trailers.push(line);
    }
    return { body: Buffer.concat(chunks), trailers };
  }

  async #readLine(): Promise<string> {
    return (await this.#readUntil("\r\n")).toString("latin1");
  }

  async #readUntil(mark: string): Promise<Buffer> {
    await this.#waitFor(() => this.#received.includes(mark), JSON.stringify(mark));
    const found = this.#take(this.#received.indexOf(mark));
    this.#take(mark.length);
    return found;
  }

  #take(bytes: number): Buffer {
    const taken = this.#received.subarray(0, bytes);
    this.#received = this.#received.subarray(bytes);
    return taken;
  }

  async #waitFor(isThere: () => boolean, what: string): Promise<void> {
    const deadline = performance.now() + READ_TIMEOUT_MS;
    const timer = setTimeout(() => this.#wake(), READ_TIMEOUT_MS);
    while (!isThere() && !this.#isEnded && performance.now() < deadline) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    clearTimeout(timer);
    if (!isThere()) {
      const seen = this.#received.toString("latin1").slice(0, 2_000);
      throw new Error(`waited for ${what}; the connection gave ${JSON.stringify(seen)}`);
    }
  }
}

/** The value of a header line, by lower-case name. */
export function fieldOf(lines: readonly string[], name: string): string | undefined {
  return lines
    .find((line) => line.toLowerCase().startsWith(`${name}:`))
    ?.slice(name.length + 1)
    .trim();
}
