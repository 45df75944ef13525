import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getHeader, getHeaders, removeHeader, setHeader } from "./header-list.ts";

const headers = ["Host", "a", "X-Key", "one", "Accept", "*/*", "x-key", "two"];

describe("header list", () => {
  it("gives the first field of a name in any spelling", () => {
    expect(getHeader(headers, "x-KEY")).toBe("one");
  });

  it("gives undefined for a name that is absent, and does not take a value for a name", () => {
    expect(getHeader(headers, "one")).toBeUndefined();
  });

  it("gives all fields of a name in the order of the wire", () => {
    expect(getHeaders(headers, "X-Key")).toEqual(["one", "two"]);
    expect(getHeaders(headers, "absent")).toEqual([]);
  });

  it("sets a value in place, keeps the spelling and takes later fields of the name away", () => {
    expect(setHeader(headers, "x-key", "new")).toEqual(["Host", "a", "X-Key", "new", "Accept", "*/*"]);
  });

  it("appends a field that is absent", () => {
    expect(setHeader(["Host", "a"], "X-Key", "new")).toEqual(["Host", "a", "X-Key", "new"]);
  });

  it("removes every field of a name and nothing else", () => {
    expect(removeHeader(headers, "X-KEY")).toEqual(["Host", "a", "Accept", "*/*"]);
  });

  it("leaves the list that it was given as it was", () => {
    const given = Object.freeze([...headers]);
    setHeader(given, "Host", "b");
    removeHeader(given, "Host");
    expect(given).toEqual(headers);
  });

  it("sets what it then gets, whatever the list, and keeps all other fields in order", () => {
    const name = fc.constantFrom("A", "a", "B", "b", "C");
    const lists = fc.array(fc.tuple(name, fc.string()), { maxLength: 6 }).map((pairs) => pairs.flat());
    fc.assert(
      fc.property(lists, name, (list, field) => {
        const set = setHeader(list, field, "new");
        expect(getHeaders(set, field)).toEqual(["new"]);
        expect(removeHeader(set, field)).toEqual(removeHeader(list, field));
      }),
    );
  });
});
