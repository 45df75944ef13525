/** Rows that fit a terminal. */
export const DEFAULT_LIMIT = 20;
/** Longest list: more lines than anybody reads, and some MB. */
export const MAX_LIMIT = 10_000;
