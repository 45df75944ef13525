import { CliError } from "../errors.ts";

/** What a command line gave, by commander's camel-case names. */
export type OptionValues = Readonly<Record<string, unknown>>;

/**
 * A text option, or the environment variable that stands for it; an empty variable is none.
 *
 * @throws CliError `usage` for an empty option: `--probe "$UNSET"` must not mean "no probe"
 */
export function textOption(options: OptionValues, name: string, fallback?: string): string | undefined {
  const value = options[name];
  if (value === "") {
    const flag = `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new CliError("usage", `${flag} is empty.`, { hint: `Give ${flag} a value, or leave it out.` });
  }
  const text = typeof value === "string" ? value : fallback;
  return text === "" ? undefined : text;
}

/** A number option; undefined when it was not given. */
export function numberOption(options: OptionValues, name: string): number | undefined {
  const value = options[name];
  return typeof value === "number" ? value : undefined;
}

/** A repeatable text option, in the order of the command line. */
export function textsOption(options: OptionValues, name: string): readonly string[] {
  const value = options[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** For `OptionSpec.parse` of a repeatable option: the texts so far and one more. */
export function appendText(text: string, previous: unknown): readonly unknown[] {
  return [...(Array.isArray(previous) ? previous : []), text];
}

/** Refuses two options that contradict each other. @throws CliError `usage` */
export function refuseTogether(first: string, second: string, why: string): never {
  throw new CliError("usage", `${first} and ${second} do not go together: ${why}.`, {
    hint: `Leave out ${first} or ${second}.`,
  });
}
