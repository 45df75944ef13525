import type { HeaderList } from "./profile.ts";

/** The value of the first field of that name, in any spelling; undefined when there is none. */
export function getHeader(headers: HeaderList, name: string): string | undefined {
  const at = indexOfHeader(headers, name);
  return at === -1 ? undefined : headers[at + 1];
}

/** The values of all fields of that name, in any spelling, in the order of the wire. */
export function getHeaders(headers: HeaderList, name: string): string[] {
  return toPairs(headers)
    .filter(([fieldName]) => isSameName(fieldName, name))
    .map(([, value]) => value);
}

/**
 * Gives the field that value. The first occurrence keeps its position and spelling, later ones of the name go away;
 * without any, the field is appended at the end. All other fields stay as they are.
 */
export function setHeader(headers: HeaderList, name: string, value: string): HeaderList {
  const first = indexOfHeader(headers, name);
  if (first === -1) {
    return [...headers, name, value];
  }
  const before = headers.slice(0, first);
  const spelling = headers[first] ?? name;
  return [...before, spelling, value, ...removeHeader(headers.slice(first + 2), name)];
}

/** The list without any field of that name. */
export function removeHeader(headers: HeaderList, name: string): HeaderList {
  return toPairs(headers)
    .filter(([fieldName]) => !isSameName(fieldName, name))
    .flat();
}

function indexOfHeader(headers: HeaderList, name: string): number {
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (isSameName(headers[at] ?? "", name)) {
      return at;
    }
  }
  return -1;
}

function isSameName(a: string, b: string): boolean {
  return a.length === b.length && a.toLowerCase() === b.toLowerCase();
}

function toPairs(headers: HeaderList): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    pairs.push([headers[at] ?? "", headers[at + 1] ?? ""]);
  }
  return pairs;
}
