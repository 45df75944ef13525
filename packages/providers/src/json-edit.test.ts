import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  findJsonValue,
  MAX_JSON_BYTES,
  MAX_JSON_DEPTH,
  readJsonString,
  replaceJsonString,
} from "./json-edit.ts";
import { toBytes, toText } from "./testing/webhook-factory.ts";
import { KEYS, writtenJson } from "./testing/written-json.ts";

const NOTHING = Symbol("nothing stands there");
const paths = fc.array(fc.constantFrom(...KEYS), { minLength: 0, maxLength: 3 });

describe("finding a value in JSON bytes", () => {
  it.each([
    ['{"id":"a"}', '"a"'],
    [' \t\r\n{ "id" \n: "a" , "n":1 } \n', '"a"'],
    ['{"data":{"id":"inner"},"id":"a"}', '"a"'],
    ['{"x":"\\"id\\":\\"fake\\"","id":"a"}', '"a"'],
    ['{"id":"first","id":"a"}', '"a"'],
    ['{"\\u0069d":"a"}', '"a"'],
    ['{"list":[{"id":"b"},[["id"]]],"id":{"k":[1,2]}}', '{"k":[1,2]}'],
    ['{"id":-1.50e+3}', "-1.50e+3"],
    ['\ufeff{"id":"a"}', '"a"'],
  ])("finds the value of the key id in %s", (text, expected) => {
    expect(sliceAt(text, ["id"])).toBe(expected);
  });

  it.each([
    ['{"id2":"a"}', "another key"],
    ['[{"id":"a"}]', "an array at the top"],
    ['"id"', "a string at the top"],
    ['{"\ufeffid":"a"}', "a key with a byte order mark in it"],
  ])("finds nothing in %s: %s", (text) => {
    expect(findJsonValue(toBytes(text), ["id"])).toBeUndefined();
  });

  it("forgets what stood in an object that a later duplicate replaces", () => {
    expect(sliceAt('{"a":{"id":1},"a":{"x":2}}', ["a", "id"])).toBeUndefined();
    expect(sliceAt('{"a":{"id":1},"a":3}', ["a", "id"])).toBeUndefined();
    expect(sliceAt('{"a":{"id":1},"a":{"id":4}}', ["a", "id"])).toBe("4");
  });

  it.each([
    "",
    " ",
    "{",
    '{"id"',
    '{"id":',
    '{"id":"a"',
    '{"id":"a",}',
    '{"id":"a"}}',
    '{"id":"a"} x',
    '{id:"a"}',
    "{'id':'a'}",
    '{"id":"a" "b":1}',
    '{"id":"a","n":01}',
    '{"id":"a","n":1.}',
    '{"id":"a","n":.5}',
    '{"id":"a","n":+1}',
    '{"id":"a","n":1e}',
    '{"id":"a","n":-}',
    '{"id":"a","n":tru}',
    '{"id":"a","n":NaN}',
    '{"id":"a","s":"\\x"}',
    '{"id":"a","s":"\\u12g4"}',
    '{"id":"a","s":"\n"}',
    '{"id":"a","s":"\\',
    '{"id":"a","l":[1,]}',
    '{"id":"a","l":[1}',
    '{"id":"a",,"b":1}',
    '\ufeff\ufeff{"id":"a"}',
  ])("finds nothing in what is not JSON: %j", (text) => {
    expect(findJsonValue(toBytes(text), ["id"])).toBeUndefined();
  });

  it("reads nesting up to its bound and refuses more, without using up the stack", () => {
    expect(findJsonValue(nest(MAX_JSON_DEPTH), [])).toBeDefined();
    expect(findJsonValue(nest(MAX_JSON_DEPTH + 1), [])).toBeUndefined();
    expect(findJsonValue(toBytes("[".repeat(1_000_000)), [])).toBeUndefined();
  });

  it("takes time in proportion to the bytes, however many keys there are", () => {
    const text = `{${'"ie":0,'.repeat(300_000)}"id":"a"}`;
    expect(sliceAt(text, ["id"])).toBe('"a"');
  });

  it("refuses a body above its bound of bytes unread", () => {
    expect(findJsonValue(new Uint8Array(MAX_JSON_BYTES + 1).fill(0x20), [])).toBeUndefined();
  });

  it("agrees with JSON.parse on what is JSON, whatever the bytes", () => {
    const damaged = fc
      .tuple(writtenJson, fc.nat(), fc.nat({ max: 2 }), fc.string({ minLength: 1, maxLength: 1 }))
      .map(([text, seed, removed, inserted]) => {
        const at = seed % (text.length + 1);
        return toBytes(text.slice(0, at) + inserted + text.slice(at + removed));
      });
    const soup = fc
      .string({ unit: fc.constantFrom(...'{}[]",:\\u0e-+.t1 '.split("")), maxLength: 12 })
      .map(toBytes);
    fc.assert(
      fc.property(fc.oneof(damaged, soup, fc.uint8Array()), (bytes) => {
        expect(findJsonValue(bytes, []) !== undefined).toBe(parse(bytes) !== NOTHING);
      }),
      { numRuns: 1000 },
    );
  });

  it("agrees with JSON.parse on what stands at a path, with duplicates, escapes and any spacing", () => {
    fc.assert(
      fc.property(writtenJson, paths, (text, path) => {
        const found = sliceAt(text, path);
        expect(found === undefined ? NOTHING : JSON.parse(found)).toStrictEqual(
          valueAt(JSON.parse(text), path),
        );
      }),
      { numRuns: 1000 },
    );
  });
});

describe("reading a string in JSON bytes", () => {
  it("gives the string without its escapes", () => {
    expect(readJsonString(toBytes('{"id":"\\u0065vt\\n\\ud83e\\udd68é"}'), ["id"])).toBe("evt\n🥨é");
  });

  it("gives undefined for a value of another kind", () => {
    expect(readJsonString(toBytes('{"id":7}'), ["id"])).toBeUndefined();
    expect(readJsonString(toBytes('{"id":{"id":"a"}}'), ["id"])).toBeUndefined();
  });
});

describe("replacing a string in JSON bytes", () => {
  it("changes the one token and leaves the same text elsewhere, spacing and number forms alone", () => {
    const before =
      '{ "n":1.10, "nested":{"id":"evt_1"},\r\n\t"id" : "evt_1", "also":"evt_1","big":9007199254740993 }';
    const after = before.replace('"id" : "evt_1"', '"id" : "evt_22"');
    expect(edit(before, ["id"], "evt_22")).toBe(after);
  });

  it("changes the last of duplicate keys, the one that a parser sees", () => {
    expect(edit('{"id":"a","id":"b"}', ["id"], "new")).toBe('{"id":"a","id":"new"}');
  });

  it("keeps a byte order mark and bytes that are not UTF-8", () => {
    const bytes = Uint8Array.from([
      0xef,
      0xbb,
      0xbf,
      ...toBytes('{"x":"'),
      0xff,
      0xc3,
      ...toBytes('","id":"a"}'),
    ]);
    const edited = replaceJsonString(bytes, ["id"], "b") ?? new Uint8Array();
    expect([...edited]).toEqual([...bytes.subarray(0, -3), 0x62, ...bytes.subarray(-2)]);
  });

  it("does not touch the bytes that it was given", () => {
    const bytes = toBytes('{"id":"a"}');
    replaceJsonString(bytes, ["id"], "b");
    expect(toText(bytes)).toBe('{"id":"a"}');
  });

  it("gives undefined where no string stands", () => {
    expect(edit('{"id":null}', ["id"], "new")).toBeUndefined();
    expect(edit("{}", ["id"], "new")).toBeUndefined();
  });

  it("changes that one value for a parser and no byte around it, whatever the document", () => {
    fc.assert(
      fc.property(writtenJson, paths, fc.string({ unit: "binary", maxLength: 8 }), (text, path, value) => {
        const bytes = toBytes(text);
        const edited = replaceJsonString(bytes, path, value);
        const expected =
          typeof valueAt(JSON.parse(text), path) === "string" ? withValue(text, path, value) : undefined;
        expect(edited && JSON.parse(toText(edited))).toStrictEqual(expected);
        const { start, end } = findJsonValue(bytes, path) ?? { start: 0, end: 0 };
        const around = edited && [edited.slice(0, start), edited.slice(edited.length - bytes.length + end)];
        expect(around).toEqual(edited && [bytes.slice(0, start), bytes.slice(end)]);
      }),
      { numRuns: 1000 },
    );
  });
});

function nest(levels: number): Uint8Array {
  return toBytes(`${"[".repeat(levels)}${"]".repeat(levels)}`);
}

function sliceAt(text: string, path: readonly string[]): string | undefined {
  const bytes = toBytes(text);
  const span = findJsonValue(bytes, path);
  return span && toText(bytes.subarray(span.start, span.end));
}

function edit(text: string, path: readonly string[], value: string): string | undefined {
  const edited = replaceJsonString(toBytes(text), path, value);
  return edited && toText(edited);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) {
      return NOTHING;
    }
    throw error;
  }
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) {
      return NOTHING;
    }
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  return value;
}

function withValue(text: string, path: readonly string[], value: string): unknown {
  const root: unknown = JSON.parse(text);
  const key = path.at(-1);
  const parent = valueAt(root, path.slice(0, -1));
  if (key === undefined || !isObject(parent)) {
    return value;
  }
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
  return root;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
