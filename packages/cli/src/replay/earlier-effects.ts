import type { HistoryStore } from "../history/history-store.ts";

/**
 * Did a probe see effects of an earlier attempt of this delivery on this target, in a source that is watched now? Effects in
 * another database than the one that is probed would prove nothing about this run.
 */
export function hadEffectsIn(
  history: Pick<HistoryStore, "hadEffects" | "attempts">,
  deliveryId: string,
  target: string,
  sources: readonly string[],
): boolean {
  if (!history.hadEffects(deliveryId, target)) {
    return false;
  }
  return history
    .attempts(deliveryId)
    .filter((attempt) => attempt.target === target)
    .some(({ effects }) => effects?.changes.some(({ source }) => sources.includes(source)) === true);
}
