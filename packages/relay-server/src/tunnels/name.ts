import { randomInt } from "node:crypto";

/** One DNS label (RFC 1123 §2.1) in lower case, so that a name works in a path now and in a host name later. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether it may be a tunnel's name: 1–63 lower-case letters, digits and dashes, no dash first or last. */
export function isTunnelName(name: string): boolean {
  return NAME.test(name);
}

/** A readable name such as `brave-otter-4821`; `random(n)` gives an integer from 0 to n - 1. */
export function createTunnelName(random: (below: number) => number = randomInt): string {
  const adjective = ADJECTIVES[random(ADJECTIVES.length)] ?? "plain";
  const animal = ANIMALS[random(ANIMALS.length)] ?? "otter";
  return `${adjective}-${animal}-${FIRST_NUMBER + random(NUMBERS)}`;
}

/** Four digits always, so that names line up; with the words about 9 million names. */
const FIRST_NUMBER = 1_000;
const NUMBERS = 9_000;

const ADJECTIVES: readonly string[] = [
  "amber brave brisk calm clever cosy crisp eager fair gentle glad happy keen kind lively lucky mellow merry neat",
  "nimble proud quick quiet rapid ready sunny swift tidy vivid warm wise witty",
].flatMap((line) => line.split(" "));

const ANIMALS: readonly string[] = [
  "badger beaver bison crane dolphin eagle falcon ferret finch fox gecko heron ibis jackdaw koala lemur lynx magpie",
  "marten newt ocelot otter panda puffin raven robin seal stoat swan tapir walrus wren",
].flatMap((line) => line.split(" "));
