import type { Effects, SourceChange } from "../history/history-store.ts";

/** Sources named in one line; a run that touches more is told by their number. */
const MAX_SOURCES_NAMED = 5;
const KINDS = ["inserted", "updated", "deleted"] as const;

/** `1 row inserted in charges and 2 rows updated in orders`; `no writes`. */
export function effectsText(effects: Effects): string {
  if (effects.total === 0) {
    return "no writes";
  }
  const named = effects.changes.slice(0, MAX_SOURCES_NAMED).map((change) => changeText(change));
  const unnamed = effects.changes.length - named.length;
  return listText(unnamed > 0 ? [...named, `changes in ${counted(unnamed, "more table")}`] : named);
}

/** The same as what somebody did: `inserted 1 row in charges and 1 row in events, updated 1 row in orders`; `changed nothing`. */
export function deedsText(effects: Effects): string {
  if (effects.total === 0) {
    return "changed nothing";
  }
  const named = effects.changes.slice(0, MAX_SOURCES_NAMED);
  const deeds = KINDS.flatMap((kind) => deedText(kind, named));
  const unnamed = effects.changes.length - named.length;
  return [...deeds, ...(unnamed > 0 ? [`changed ${counted(unnamed, "more table")}`] : [])].join(", ");
}

/** `charges, orders and 3 more`. */
export function sourcesText(sources: readonly string[]): string {
  const named = sources.slice(0, MAX_SOURCES_NAMED);
  const unnamed = sources.length - named.length;
  return listText(unnamed > 0 ? [...named, `${unnamed} more`] : named);
}

/** `1 write`, `2 writes`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listText(items: readonly string[]): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} and ${last}`;
}

function deedText(kind: (typeof KINDS)[number], changes: readonly SourceChange[]): string[] {
  const parts = changes
    .filter((change) => change[kind] > 0)
    .map((change) => `${rowsText(change, change[kind])} in ${change.source}`);
  return parts.length === 0 ? [] : [`${kind} ${listText(parts)}`];
}

/** `1 row inserted, 2 updated in charges`. */
function changeText(change: SourceChange): string {
  const kinds = KINDS.filter((kind) => change[kind] > 0);
  const parts = kinds.map(
    (kind, at) => `${at === 0 ? rowsText(change, change[kind]) : change[kind]} ${kind}`,
  );
  return `${parts.join(", ")} in ${change.source}`;
}

/** Of a large table only the least that must have happened is known. */
function rowsText({ approximate }: SourceChange, count: number): string {
  return `${approximate === true ? "at least " : ""}${counted(count, "row")}`;
}
