/** How this instance sees its target. */
export interface ObservationSession {
  /** Whether everything that happens there is observed, as far as can be known. */
  isWhole(): boolean;
  /** The target's clock. */
  now(): number;
}

/** Tells when an observation session changes. */
export interface ObservationChanges {
  onChange(listener: () => void): () => void;
  /** Calls the listener when something happened since `from` (the target's clock) that was not observed. */
  onMiss(listener: (from: number) => void): () => void;
}

export interface RecorderTimes {
  readonly pollMs: number;
  /** How long a recorder that says nothing is waited for. */
  readonly leaseMs: number;
  /** How long one whose own observations begin too late lets others go first. */
  readonly giveWayMs: number;
  /** What of the present is not said to be recorded yet: it may still be on its way to us. */
  readonly lagMs: number;
}

export const RECORDER_TIMES: RecorderTimes = { pollMs: 500, leaseMs: 5000, giveWayMs: 1500, lagMs: 2000 };
