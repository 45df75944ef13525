export { createMemoryLink, MemoryTransport } from "./memory-transport.ts";
