/**
 * Header fields as they stand on the wire: `[name, value, name, value, …]`, with spelling, order and repeats kept.
 * Each string holds one char per byte (latin1), so any header byte survives the trip.
 */
export type HeaderList = readonly string[];

/** The head of a delivery, as the relay received it. */
export interface RequestHead {
  /** Delivery id, minted by the relay; the same on every redelivery of a stored one. */
  readonly id: string;
  /** When the relay had read the head, in ms since the Unix epoch. */
  readonly receivedAt: number;
  /** Method, byte for byte. */
  readonly method: string;
  /** Request-target, byte for byte (origin form, or `*`). */
  readonly target: string;
  readonly headers: HeaderList;
}

/** The head of a target's answer. Hop-by-hop fields are already removed. */
export interface ResponseHead {
  /** 100–599. */
  readonly status: number;
  /** Reason phrase as sent by the target; may be empty. */
  readonly statusText: string;
  readonly headers: HeaderList;
}
