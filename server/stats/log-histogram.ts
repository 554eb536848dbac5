/** Number of buckets per doubling of the duration. With 8 buckets, a quantile is off by at most 4.4%. */
const STEPS = 8;
/**
 * Number of doublings that the histogram covers, from 1 ms to 2^27 ms (37 hours). Leases are limited to a day. Longer
 * times count as the maximum.
 */
const DOUBLINGS = 27;
const SIZE = DOUBLINGS * STEPS + 1;

const BUCKET_STEPS = STEPS / 2;

/** A range of durations and its share of all samples, from 0 to 1. */
export interface HistogramBucket {
  readonly fromMs: number;
  readonly toMs: number;
  readonly share: number;
}

/** A histogram of durations with exponential buckets. Uses 1.7 KB. */
export class LogHistogram {
  readonly #weights = new Float64Array(SIZE);
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(ms: number, weight = 1): void {
    const step = getStep(ms);
    this.#weights[step] = (this.#weights[step] ?? 0) + weight;
    this.#total += weight;
  }

  /**
   * Returns a quantile in milliseconds, or `null` if there are no samples.
   *
   * @param share the quantile, from 0 to 1, such as 0.5 for the median
   */
  quantile(share: number): number | null {
    if (this.#total <= 0) return null;
    const wanted = share * this.#total;
    let passed = 0;
    let last = 0;
    for (let step = 0; step < SIZE; step++) {
      const weight = this.#weights[step] ?? 0;
      if (weight === 0) continue;
      passed += weight;
      last = step;
      if (passed >= wanted) break;
    }
    return getStepMiddle(last);
  }

  /**
   * Returns the distribution with two buckets per doubling of the duration, shortest durations first. Returns an empty
   * array if there are no samples.
   */
  toBuckets(): HistogramBucket[] {
    const sums: number[] = [];
    for (let step = 0; step < SIZE; step++) {
      const at = Math.ceil(step / BUCKET_STEPS);
      sums[at] = (sums[at] ?? 0) + (this.#weights[step] ?? 0);
    }
    const first = sums.findIndex((sum) => sum > 0);
    const last = sums.findLastIndex((sum) => sum > 0);
    if (first < 0) return [];
    return sums.slice(first, last + 1).map((sum, index) => {
      const at = first + index;
      return {
        fromMs: at === 0 ? 0 : getBucketEdge(at - 1),
        toMs: getBucketEdge(at),
        share: sum / this.#total,
      };
    });
  }

  scale(factor: number): void {
    for (let step = 0; step < SIZE; step++) this.#weights[step] = (this.#weights[step] ?? 0) * factor;
    this.#total *= factor;
  }

  clear(): void {
    this.#weights.fill(0);
    this.#total = 0;
  }
}

/** Returns the upper edge of a bucket, in milliseconds. */
function getBucketEdge(at: number): number {
  return Math.round(2 ** ((at * BUCKET_STEPS) / STEPS));
}

function getStep(ms: number): number {
  if (!(ms >= 1)) return 0;
  return Math.min(SIZE - 1, 1 + Math.floor(Math.log2(ms) * STEPS));
}

/** Returns the geometric mean of a step's edges, in milliseconds. */
function getStepMiddle(step: number): number {
  if (step === 0) return 0;
  return Math.round(2 ** ((step - 0.5) / STEPS));
}

/** Age in ms at which a sample counts for half. A sample from a day ago counts for a sixteenth. */
export const HALF_LIFE_MS = 6 * 60 * 60 * 1000;
/**
 * Number of half-lives after which all weights are rescaled, long before a double would lose the digits of small
 * weights.
 */
const DOUBLINGS_MAX = 20;

/** A histogram in which older samples count less. */
export class DecayingHistogram {
  readonly #histogram = new LogHistogram();
  /** Time at which a new sample has weight 1, in Unix milliseconds. Later samples have larger weights. */
  #origin: number;

  /** @param at current time, in Unix milliseconds */
  constructor(at: number) {
    this.#origin = at;
  }

  add(ms: number, at: number): void {
    if (this.#countDoublingsAt(at) > DOUBLINGS_MAX) {
      this.#histogram.scale(2 ** -this.#countDoublingsAt(at));
      this.#origin = at;
    }
    this.#histogram.add(ms, 2 ** this.#countDoublingsAt(at));
  }

  quantile(share: number): number | null {
    return this.#histogram.quantile(share);
  }

  toBuckets(): HistogramBucket[] {
    return this.#histogram.toBuckets();
  }

  /** Returns the number of samples, weighted by age. */
  countSamplesAt(at: number): number {
    return this.#histogram.total * 2 ** -this.#countDoublingsAt(at);
  }

  #countDoublingsAt(at: number): number {
    return (at - this.#origin) / HALF_LIFE_MS;
  }
}
