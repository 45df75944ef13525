/** More than two slips of the finger are another word. */
const MAX_DISTANCE = 2;
/** Below that share of a name's letters a slip makes another word: `ls` is not `list` mistyped twice. */
const MAX_DISTANCE_SHARE = 0.5;
/** Longest word that is compared, in chars; longer than any name with two slips. */
const MAX_WORD_CHARS = 40;

/** The name that was probably meant: the nearest by letters put in, left out, changed or swapped. Undefined: none is near. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  if (word.length > MAX_WORD_CHARS) {
    return undefined;
  }
  const ranked = names
    .map((name) => ({ name, distance: distance(word.toLowerCase(), name) }))
    .filter(({ name, distance: far }) => far <= MAX_DISTANCE && far < name.length * MAX_DISTANCE_SHARE)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.name;
}

/** Optimal string alignment distance, row by row. */
function distance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
