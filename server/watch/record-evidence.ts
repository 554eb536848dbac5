import type { EvidenceRecorder } from "./evidence/evidence-recorder.ts";
import type { Watcher } from "./watcher.ts";

/**
 * Stores the evidence about the holds of a watcher that has not started yet and restores holds by the same recorder.
 *
 * @param isWriter whether this instance stores: of several that watch a target, one does
 */
export function recordEvidence(recorder: EvidenceRecorder, watcher: Watcher, isWriter: () => boolean): void {
  watcher.onReading((key, before, after, _waiters, observation) =>
    recorder.recordReading(key, before, after, observation),
  );
  recorder.start({
    now: () => watcher.clock.now(),
    isComplete: () => watcher.isComplete,
    findHold: (key) => watcher.index.get(key),
    listKeys: () => watcher.index.keys(),
    restoreLate: (key) => watcher.index.restoreLate(key),
    isWriter,
  });
}
