/** Information for the recorder about this instance's observation of a target. */
export interface ObservationSession {
  /** Returns whether this instance currently observes all changes on the target, as far as it can determine. */
  isWhole(): boolean;
  /** Returns the current time in Unix ms on the target's clock. */
  now(): number;
}

/** Notifies listeners of changes to an observation session. */
export interface ObservationChanges {
  onChange(listener: () => void): () => void;
  /** Calls the listener when this instance may have missed changes since `from`, in Unix ms on the target's clock. */
  onMiss(listener: (from: number) => void): () => void;
}

export interface RecorderTimes {
  readonly pollMs: number;
  /**
   * Lease of the recorder's lock, in ms. If the recorder stops renewing the lock, another instance can replace it after
   * this time.
   */
  readonly leaseMs: number;
  /**
   * Time in ms for which an instance with incomplete observations waits, so that an instance with complete observations
   * can become the recorder first.
   */
  readonly giveWayMs: number;
  /** Maximum expected delay of events, in ms. The most recent period of this length is not yet marked as recorded. */
  readonly lagMs: number;
}

export const RECORDER_TIMES: RecorderTimes = { pollMs: 500, leaseMs: 5000, giveWayMs: 1500, lagMs: 2000 };
