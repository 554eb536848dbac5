import {
  PATTERN_COUNTS,
  type PatternCount,
  type PatternStats,
  type TypicalMs,
  type TypicalTimes,
} from "../../lib/contract/stats.ts";
import { DayCounts } from "./day-counts.ts";
import { DecayingHistogram } from "./log-histogram.ts";

/** Statistics of the keys that share a pattern. Uses at most about 5 KB. */
export class PatternRecord {
  /** Time of the last counted event on the Redis clock, in Unix milliseconds. */
  lastAt: number;
  readonly #counts: DayCounts<PatternCount>;
  #held: DecayingHistogram | undefined;
  #waited: DecayingHistogram | undefined;

  constructor(
    readonly pattern: string,
    at: number,
  ) {
    this.lastAt = at;
    this.#counts = new DayCounts(PATTERN_COUNTS, at);
  }

  count(name: PatternCount, at: number): void {
    this.#touch(at);
    this.#counts.add(name, at);
  }

  addHeldTime(ms: number, at: number): void {
    this.#touch(at);
    this.#held ??= new DecayingHistogram(at);
    this.#held.add(ms, at);
  }

  addWaitTime(ms: number, at: number): void {
    this.#touch(at);
    this.#waited ??= new DecayingHistogram(at);
    this.#waited.add(ms, at);
  }

  computeTypicalAt(at: number): Pick<PatternStats, "pattern" | "heldMs" | "waitedMs"> {
    return {
      pattern: this.pattern,
      heldMs: toTypicalMs(this.#held, at),
      waitedMs: toTypicalMs(this.#waited, at),
    };
  }

  /**
   * Returns the p95 of the hold times in milliseconds, or `undefined` if the number of samples, weighted by age, is
   * less than `samplesMin`.
   */
  computeHeldMsP95At(at: number, samplesMin: number): number | undefined {
    if (this.#held === undefined || countSamples(this.#held, at) < samplesMin) return undefined;
    return this.#held.quantile(0.95) ?? undefined;
  }

  listSpreads(): Pick<TypicalTimes, "heldSpread" | "waitedSpread"> {
    return { heldSpread: toSpread(this.#held), waitedSpread: toSpread(this.#waited) };
  }

  computeFiguresAt(at: number): PatternStats {
    const sum = (name: PatternCount) => this.#counts.sum(name, at);
    return {
      ...this.computeTypicalAt(at),
      acquisitions: sum("acquisitions"),
      waits: sum("waits"),
      refusals: sum("refusals"),
      givenUp: sum("givenUp"),
      expired: sum("expired"),
      expiredInUse: sum("expiredInUse"),
      renewalsFailed: sum("renewalsFailed"),
      forceReleases: sum("forceReleases"),
      evictions: sum("evictions"),
    };
  }

  #touch(at: number): void {
    if (at > this.lastAt) this.lastAt = at;
  }
}

function toTypicalMs(times: DecayingHistogram | undefined, at: number): TypicalMs | null {
  const [p50, p95] = [times?.quantile(0.5) ?? null, times?.quantile(0.95) ?? null];
  if (times === undefined || p50 === null || p95 === null) return null;
  return { p50, p95, samples: countSamples(times, at) };
}

/**
 * Returns the number of samples, weighted by age and rounded to one decimal. Even a recent sample counts slightly less
 * than 1.
 */
function countSamples(times: DecayingHistogram, at: number): number {
  return Math.round(times.countSamplesAt(at) * 10) / 10;
}

function toSpread(times: DecayingHistogram | undefined): TypicalTimes["heldSpread"] {
  return (times?.toBuckets() ?? []).map((each) => ({ ...each, share: Math.round(each.share * 1e4) / 1e4 }));
}

/** Name of the record that counts the events of all patterns beyond the limit. */
export const OTHER_PATTERN = "(other)";
const PATTERNS_MAX = 500;
/** Time in ms without events after which a pattern may be removed to make room for a new one. */
const IDLE_MS = 60 * 60 * 1000;
/** Minimum interval in ms between searches for idle patterns. Each search iterates over all patterns. */
const IDLE_CHECK_EVERY_MS = 10_000;

/** The records of the key patterns of one target. Their number is limited, regardless of the number of keys. */
export class PatternRegistry {
  readonly #patterns = new Map<string, PatternRecord>();
  #idleCheckedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly maxPatterns = PATTERNS_MAX) {}

  get size(): number {
    return this.#patterns.size;
  }

  /**
   * Returns the record of a pattern, or `undefined` if there is no record, for example because the pattern is counted
   * under `(other)`.
   */
  find(pattern: string): PatternRecord | undefined {
    return this.#patterns.get(pattern);
  }

  /**
   * Returns the record that counts the events of a pattern, creating the record if necessary. Returns the record of
   * `(other)` if the registry is full.
   */
  getOrCreate(pattern: string, at: number): PatternRecord {
    const known = this.#patterns.get(pattern);
    if (known !== undefined) return known;
    if (pattern !== OTHER_PATTERN && this.#isFull) this.#forgetIdle(at);
    if (pattern !== OTHER_PATTERN && this.#isFull) return this.getOrCreate(OTHER_PATTERN, at);
    const record = new PatternRecord(pattern, at);
    this.#patterns.set(pattern, record);
    return record;
  }

  /** Whether the registry is full. One place is reserved for `(other)`. */
  get #isFull(): boolean {
    const rest = this.#patterns.has(OTHER_PATTERN) ? 1 : 0;
    return this.#patterns.size - rest >= this.maxPatterns - 1;
  }

  list(): PatternRecord[] {
    return [...this.#patterns.values()];
  }

  #forgetIdle(at: number): void {
    if (at - this.#idleCheckedAt < IDLE_CHECK_EVERY_MS) return;
    this.#idleCheckedAt = at;
    for (const { pattern, lastAt } of this.#patterns.values()) {
      if (pattern !== OTHER_PATTERN && at - lastAt > IDLE_MS) this.#patterns.delete(pattern);
    }
  }
}
