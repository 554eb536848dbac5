/** Limits on the number of keys per call. */
export interface CallSizeLimits {
  readonly least: number;
  /** Initial number of keys per call, and the maximum for a nearby Redis. */
  readonly near: number;
  readonly most: number;
}

/**
 * Target duration of a call to a nearby Redis in ms, excluding the round trip. Includes waiting for other calls of this
 * process.
 */
const CALL_MS = 1;
/**
 * Maximum target duration of a call in ms. For a distant Redis, the target is half a round trip, because the other
 * clients are assumed to be distant too.
 */
const CALL_MS_MAX = 4;
const CALL_SHARE_OF_ROUND_TRIP = 0.5;
/**
 * Number of calls whose durations are compared. Only the shortest duration counts, because the other calls may have
 * waited for other clients or for this process.
 */
const CALLS_JUDGED = 4;
const GROWTH = 1.25;
const REDUCTION = 0.7;
/**
 * Time, in ms, by which a call must exceed its target duration to count as stalled. During a stall, Redis was busy with
 * other work, or this process got no CPU time.
 */
const STALL_MS = 10;
/** Pause after a stall, in ms. A short pause limits how much frequent stalls slow down a scan. */
const REST_MS = 5;
/**
 * Minimum share of a call's duration that counts as Redis time. The exact share is unknown, because the round trip is
 * an estimate.
 */
const COST_SHARE_MIN = 0.5;

/**
 * Chooses the number of keys per call from the durations of previous calls. Increases the number slightly after short
 * calls, reduces it after long calls, and halves it after a stall. All durations are in ms.
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

  /** Returns the estimated time, in ms, that Redis takes for a number of keys. Returns 0 before the first call. */
  estimateCostMs(keys: number): number {
    return this.#costsPerKeyMs.length === 0 ? 0 : keys * Math.min(...this.#costsPerKeyMs);
  }

  /** Target duration of a call in ms, excluding the round trip. */
  get targetMs(): number {
    return Math.min(CALL_MS_MAX, Math.max(CALL_MS, this.#roundTripMs * CALL_SHARE_OF_ROUND_TRIP));
  }

  /** Sets the round-trip time in ms, measured as the duration of a command that does no work. */
  setRoundTrip(roundTripMs: number): void {
    this.#roundTripMs = roundTripMs;
  }

  /** Records a completed call. @param tookMs time from sending the call to receiving its reply */
  record(keys: number, tookMs: number): void {
    const workMs = Math.max(0, tookMs - this.#roundTripMs);
    this.#recordCost(keys, Math.max(workMs, tookMs * COST_SHARE_MIN));
    if (workMs > STALL_MS + this.targetMs) {
      this.#resize(0.5);
      this.#restMs = REST_MS;
      return;
    }
    // A call with few keys does not show how long a full call takes.
    if (keys < this.#size / 2) return;
    this.#judged.push(workMs);
    if (this.#judged.length < CALLS_JUDGED) return;
    const shortestMs = Math.min(...this.#judged);
    if (shortestMs > this.targetMs) this.#resize(REDUCTION);
    else this.#resize(shortestMs * GROWTH < this.targetMs ? GROWTH : 1);
  }

  /**
   * Returns the pause before the next call, in ms. Returns 0 unless a call has stalled since this method was last
   * called.
   */
  takePauseMs(): number {
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
