export { FakeClock } from "./fake-clock.ts";
export { anyFrame, HELLO, REQUEST, RESPONSE, WELCOME } from "./frame-factory.ts";
export { createMemoryLink, MemoryTransport } from "./memory-transport.ts";
export { playbook } from "./playbook.ts";
export type { Playbook } from "./playbook.ts";
