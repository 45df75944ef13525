import type { Effects } from "../history/history-store.ts";

/** What `--probe` asks for, one kind a database. */
export interface ProbeSpec {
  readonly kind: "sqlite";
  /** As given; it holds no credentials. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

/** Reads, before and after an attempt, what the handler changed. Read rights only, no lock that the handler could feel. */
export interface Probe {
  /** As shown to the user, without credentials: `sqlite:app.db`. */
  readonly name: string;
  /** @throws CliError `probe-failed` */
  snapshot(): Promise<ProbeSnapshot>;
  close(): Promise<void>;
}

export interface ProbeSnapshot {
  /** What changed from `earlier` to this snapshot. Both are of the same probe. */
  changesSince(earlier: ProbeSnapshot): Effects;
  /** Tables or sources seen, for "the probe saw no table at all". */
  readonly sources: readonly string[];
}
