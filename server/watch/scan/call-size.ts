/** Limits on the number of keys per call. */
export interface CallSizeLimits {
  readonly least: number;
  /** The initial size, and the maximum for a nearby Redis. */
  readonly near: number;
  readonly most: number;
}

/** Maximum duration of a call to a nearby Redis, in ms. Includes waiting for other calls of this process. */
const CALL_MS = 1;
/**
 * Maximum duration of a call to a distant Redis, in ms. A call may take up to half a round trip, because the other
 * clients are distant too.
 */
const CALL_MS_MAX = 4;
const CALL_SHARE_OF_ROUND_TRIP = 0.5;
/**
 * Number of calls whose durations are compared. Only the shortest one counts, because the others may have waited for
 * other clients or for this process.
 */
const CALLS_JUDGED = 4;
const GROWTH = 1.25;
const REDUCTION = 0.7;
/**
 * Duration, in ms, after which a call counts as stalled. Redis was busy with other work, or this process got no CPU
 * time.
 */
const STALL_MS = 10;
/** Pause after a stall, in ms. It is short to limit how much frequent stalls slow down a scan. */
const REST_MS = 5;
/**
 * Minimum share of a call's duration that counts as Redis time. The exact share is unknown, because the round trip is
 * an estimate.
 */
const COST_SHARE_MIN = 0.5;

/**
 * Chooses the number of keys per call from the durations of previous calls. Increases it slightly after short calls,
 * reduces it after long ones, and halves it after a stall. All durations are in ms.
 */
export class CallSize {
  readonly #limits: CallSizeLimits;
  #size: number;
  #roundTripMs = 0;
  #judged: number[] = [];
  readonly #costsPerKeyMs: number[] = [];
  #restMs = 0;

  constructor(limits: CallSizeLimits) {
    this.#limits = limits;
    this.#size = limits.near;
  }

  /** Number of keys in the next call. */
  get size(): number {
    return Math.floor(this.#size);
  }

  /** Returns the estimated time that Redis takes for a number of keys, in ms. Returns 0 before the first call. */
  estimateCostMs(keys: number): number {
    return this.#costsPerKeyMs.length === 0 ? 0 : keys * Math.min(...this.#costsPerKeyMs);
  }

  /** Target duration of a call in ms, excluding the round trip. */
  get targetMs(): number {
    return Math.min(CALL_MS_MAX, Math.max(CALL_MS, this.#roundTripMs * CALL_SHARE_OF_ROUND_TRIP));
  }

  /** Sets the round-trip time: the duration of a command that does no work, in ms. */
  setRoundTrip(roundTripMs: number): void {
    this.#roundTripMs = roundTripMs;
  }

  /** @param tookMs time from sending the call to its reply */
  record(keys: number, tookMs: number): void {
    const workMs = Math.max(0, tookMs - this.#roundTripMs);
    this.#recordCost(keys, Math.max(workMs, tookMs * COST_SHARE_MIN));
    if (workMs > STALL_MS + this.targetMs) {
      this.#resize(0.5);
      this.#restMs = REST_MS;
      return;
    }
    // A call with few keys does not show how long a full one takes.
    if (keys < this.#size / 2) return;
    this.#judged.push(workMs);
    if (this.#judged.length < CALLS_JUDGED) return;
    const shortestMs = Math.min(...this.#judged);
    if (shortestMs > this.targetMs) this.#resize(REDUCTION);
    else this.#resize(shortestMs * GROWTH < this.targetMs ? GROWTH : 1);
  }

  /**
   * Returns how long to pause before the next call, in ms. Returns 0 unless a call has stalled since the last call of
   * this method.
   */
  takeRestMs(): number {
    const restMs = this.#restMs;
    this.#restMs = 0;
    return restMs;
  }

  #resize(factor: number): void {
    const { least, near, most } = this.#limits;
    const largest = Math.min(most, near * (this.targetMs / CALL_MS));
    this.#size = Math.min(largest, Math.max(least, this.#size * factor));
    this.#judged = [];
  }

  #recordCost(keys: number, workMs: number): void {
    if (keys === 0) return;
    this.#costsPerKeyMs.push(workMs / keys);
    if (this.#costsPerKeyMs.length > CALLS_JUDGED) this.#costsPerKeyMs.shift();
  }
}
