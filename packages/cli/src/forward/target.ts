/** A local base URL and its settings. */
export interface Target {
  /** Normal form without a trailing slash: `http://localhost:3000`, `http://127.0.0.1:3000/base`. */
  readonly url: string;
  /** Header that carries the delivery's key, as the user spelled it; null: none, bytes as sent. */
  readonly idempotencyHeader: string | null;
  /** `preserve`: the public Host · `rewrite`: the target's · else this value. */
  readonly hostHeader: "preserve" | "rewrite" | { readonly value: string };
  /** Deadline for the whole answer head, in ms. Default 30 s. */
  readonly timeoutMs: number;
}
