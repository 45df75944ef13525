/** What is said of an error that no user can do anything about. The stack may name paths, so it is only shown on request. */
export function bugText(error: Error, debug: boolean): { readonly message: string; readonly hint: string } {
  const what = debug ? (error.stack ?? error.message) : error.message;
  return {
    message: `This is a bug in tenfold: ${what}`,
    hint: debug
      ? "Please report it with the lines above."
      : "Run it again with TENFOLD_DEBUG=1 to see where, and please report it.",
  };
}
