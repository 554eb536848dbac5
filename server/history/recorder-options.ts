/** What the recorder knows about this instance's observation of a target. */
export interface ObservationSession {
  /** Whether this instance observes everything on the target, as far as it can know. */
  isWhole(): boolean;
  /** Returns the current time on the target's clock. */
  now(): number;
}

/** Notifies listeners of changes to an observation session. */
export interface ObservationChanges {
  onChange(listener: () => void): () => void;
  /** Calls the listener when this instance missed changes since `from`, on the target's clock. */
  onMiss(listener: (from: number) => void): () => void;
}

export interface RecorderTimes {
  readonly pollMs: number;
  /**
   * Lease of the recorder's lock, in ms. When the recorder stops renewing, another instance replaces it after this
   * time.
   */
  readonly leaseMs: number;
  /**
   * Time, in ms, for which an instance with incomplete observations waits for another instance to become the recorder.
   */
  readonly giveWayMs: number;
  /** Length, in ms, of the latest period that is not yet declared recorded, because its events may still arrive. */
  readonly lagMs: number;
}

export const RECORDER_TIMES: RecorderTimes = { pollMs: 500, leaseMs: 5000, giveWayMs: 1500, lagMs: 2000 };
