/** Limits of the number of keys in one call. */
export interface CallSizeLimits {
  readonly least: number;
  /** The first size, and the largest one unless Redis is distant. */
  readonly near: number;
  readonly most: number;
}

/** A call to a near Redis takes no longer than this, including what it waited for other calls of this process. */
const CALL_MS = 1;
/** A call to a distant Redis may take half a round trip, as its other clients are distant as well, but no longer than this. */
const CALL_MS_MAX = 4;
const CALL_SHARE_OF_ROUND_TRIP = 0.5;
/** A call may have waited for other clients or for this process: the shortest of these tells how long it takes. */
const CALLS_JUDGED = 4;
const GROWTH = 1.25;
const REDUCTION = 0.7;
/** A reply this late means that Redis is busy with something else, or that this process got no CPU time. */
const STALL_MS = 10;
/** Short, so that a scan does not take much longer where stalls are frequent. */
const REST_MS = 5;
/** The least share of a call's duration that counts as time of Redis: the round trip is an estimate. */
const COST_SHARE_MIN = 0.5;

/**
 * Chooses how many keys one call to Redis has, by how long the calls before took: a little more while they are short,
 * fewer when they are long, half as many after a stall. All durations are in milliseconds.
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

  /** How many keys the next call has. */
  get size(): number {
    return Math.floor(this.#size);
  }

  /** An estimate of the time that Redis takes for so many keys; 0 until calls were recorded. */
  estimateCostMs(keys: number): number {
    return this.#costsPerKeyMs.length === 0 ? 0 : keys * Math.min(...this.#costsPerKeyMs);
  }

  /** How long a call may take without the round trip. */
  get targetMs(): number {
    return Math.min(CALL_MS_MAX, Math.max(CALL_MS, this.#roundTripMs * CALL_SHARE_OF_ROUND_TRIP));
  }

  /** The duration of a command without any work. */
  setRoundTrip(roundTripMs: number): void {
    this.#roundTripMs = roundTripMs;
  }

  /** @param tookMs from sending the call until its reply */
  record(keys: number, tookMs: number): void {
    const workMs = Math.max(0, tookMs - this.#roundTripMs);
    this.#recordCost(keys, Math.max(workMs, tookMs * COST_SHARE_MIN));
    if (workMs > STALL_MS + this.targetMs) {
      this.#resize(0.5);
      this.#restMs = REST_MS;
      return;
    }
    // A call of few keys shows nothing of a full one.
    if (keys < this.#size / 2) return;
    this.#judged.push(workMs);
    if (this.#judged.length < CALLS_JUDGED) return;
    const shortestMs = Math.min(...this.#judged);
    if (shortestMs > this.targetMs) this.#resize(REDUCTION);
    else this.#resize(shortestMs * GROWTH < this.targetMs ? GROWTH : 1);
  }

  /** How long to leave Redis alone before the next call. */
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
