/** Why a session is over. */
export interface SessionEnd {
  /** `closed`: by us or by an orderly close of the peer · `lost`: the link broke or was silent · `protocol`: the peer broke the rules. */
  readonly kind: "closed" | "lost" | "protocol";
  readonly reason: string;
}
