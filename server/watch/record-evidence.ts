import type { EvidenceRecorder } from "./evidence/evidence-recorder.ts";
import type { Watcher } from "./watcher.ts";

/**
 * Connects an evidence recorder to a watcher that has not started yet.
 *
 * @param isWriter returns whether this instance writes the evidence for the target's locks
 */
export function recordEvidence(recorder: EvidenceRecorder, watcher: Watcher, isWriter: () => boolean): void {
  watcher.onReading((key, before, after, _waiters, observation) =>
    recorder.recordReading(key, before, after, observation),
  );
  recorder.start({
    now: () => watcher.clock.now(),
    isComplete: () => watcher.isComplete,
    isStateUnknown: (key) => watcher.isStateUnknown(key),
    findHold: (key) => watcher.index.get(key),
    listKeys: () => watcher.index.keys(),
    restoreLate: (key) => watcher.index.restoreLate(key),
    isWriter,
  });
}
