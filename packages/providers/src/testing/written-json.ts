import * as fc from "fast-check";

/** Keys of few kinds, so that duplicates and matches happen all the time. */
export const KEYS = ["id", "data", "é", "\u2028", "__proto__", "\ufeffid"] as const;

const space = fc.string({ unit: fc.constantFrom(" ", "\n", "\r", "\t"), maxLength: 2 });
const stringToken = fc
  .tuple(fc.oneof(fc.constantFrom(...KEYS), fc.string({ unit: "binary", maxLength: 6 })), fc.boolean())
  .map(([text, escaped]) => writeString(text, escaped));
const keyToken = fc
  .tuple(fc.constantFrom(...KEYS), fc.boolean())
  .map(([key, escaped]) => writeString(key, escaped));
const atom = fc.oneof(
  stringToken,
  fc.constantFrom("true", "false", "null", "0", "-0", "-0.50", "1e3", "1.10E+2", "9007199254740993"),
);

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    atom,
    writeArray(tie("value")),
    writeObject(tie("value")),
  ),
}));

/** JSON texts as any sender might write them: odd spacing, escapes in keys, duplicate keys, numbers of any form. */
export const writtenJson: fc.Arbitrary<string> = fc
  .tuple(space, fc.oneof(value, writeObject(value)), space)
  .map((parts) => parts.join(""));

function writeArray(element: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .array(
      fc.tuple(space, element, space).map((parts) => parts.join("")),
      { maxLength: 3 },
    )
    .map((elements) => `[${elements.join(",")}]`);
}

function writeObject(memberValue: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const member = fc
    .tuple(space, keyToken, space, memberValue, space)
    .map(
      ([before, key, between, written, after]) => `${before}${key}${between}:${between}${written}${after}`,
    );
  return fc
    .tuple(space, fc.array(member, { maxLength: 5 }))
    .map(([empty, members]) => `{${members.join(",") || empty}}`);
}

function writeString(text: string, escaped: boolean): string {
  return escaped
    ? `"${Array.from({ length: text.length }, (_, at) => writeUnit(text.charCodeAt(at))).join("")}"`
    : JSON.stringify(text);
}

function writeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
