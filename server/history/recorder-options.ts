/** The observation of a target by this instance. */
export interface ObservationSession {
  /** Whether everything on the target is observed, as far as this instance can know. */
  isWhole(): boolean;
  /** Returns the current time on the target's clock. */
  now(): number;
}

/** Notifies listeners of changes to an observation session. */
export interface ObservationChanges {
  onChange(listener: () => void): () => void;
  /** Calls the listener when changes since `from` (target's clock) were not observed. */
  onMiss(listener: (from: number) => void): () => void;
}

export interface RecorderTimes {
  readonly pollMs: number;
  /** Lease of the recorder's lock, in ms: the time after which a recorder that no longer renews is replaced. */
  readonly leaseMs: number;
  /** How long an instance with incomplete observations waits for another instance to become the recorder. */
  readonly giveWayMs: number;
  /** Length of the most recent period that is not declared recorded yet, because its events may still arrive. */
  readonly lagMs: number;
}

export const RECORDER_TIMES: RecorderTimes = { pollMs: 500, leaseMs: 5000, giveWayMs: 1500, lagMs: 2000 };
