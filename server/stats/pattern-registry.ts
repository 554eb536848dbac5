import {
  PATTERN_COUNTS,
  type PatternCount,
  type PatternFigures,
  type Usual,
  type UsualMs,
} from "../../lib/contract/stats.ts";
import { DayCounts } from "./day-counts.ts";
import { FadingHistogram } from "./log-histogram.ts";

/** What is known of all keys of one pattern: about 5 KB at most. */
export class OnePattern {
  /** When the last thing happened that is counted here, Redis's clock. */
  lastAt: number;
  readonly #counts: DayCounts<PatternCount>;
  #held: FadingHistogram | undefined;
  #waited: FadingHistogram | undefined;

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

  held(ms: number, at: number): void {
    this.#touch(at);
    this.#held ??= new FadingHistogram(at);
    this.#held.add(ms, at);
  }

  waited(ms: number, at: number): void {
    this.#touch(at);
    this.#waited ??= new FadingHistogram(at);
    this.#waited.add(ms, at);
  }

  usualAt(at: number): Pick<PatternFigures, "pattern" | "heldMs" | "waitedMs"> {
    return {
      pattern: this.pattern,
      heldMs: usualOf(this.#held, at),
      waitedMs: usualOf(this.#waited, at),
    };
  }

  /** Within it nineteen of twenty were given back, in milliseconds; undefined: fewer than so many were. */
  heldMsP95At(at: number, samplesMin: number): number | undefined {
    if (this.#held === undefined || samplesOf(this.#held, at) < samplesMin) return undefined;
    return this.#held.quantile(0.95) ?? undefined;
  }

  spreads(): Pick<Usual, "heldSpread" | "waitedSpread"> {
    return { heldSpread: spreadOf(this.#held), waitedSpread: spreadOf(this.#waited) };
  }

  figuresAt(at: number): PatternFigures {
    const sum = (name: PatternCount) => this.#counts.sum(name, at);
    return {
      ...this.usualAt(at),
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

function usualOf(times: FadingHistogram | undefined, at: number): UsualMs | null {
  const [p50, p95] = [times?.quantile(0.5) ?? null, times?.quantile(0.95) ?? null];
  if (times === undefined || p50 === null || p95 === null) return null;
  return { p50, p95, samples: samplesOf(times, at) };
}

/** Older ones count for less, so what came a moment ago is rounded to a whole one. */
function samplesOf(times: FadingHistogram, at: number): number {
  return Math.round(times.samplesAt(at) * 10) / 10;
}

function spreadOf(times: FadingHistogram | undefined): Usual["heldSpread"] {
  return (times?.spread() ?? []).map((each) => ({ ...each, share: Math.round(each.share * 1e4) / 1e4 }));
}

/** Of all keys whose pattern found no room. */
export const OTHER_PATTERN = "(other)";
const PATTERNS_MAX = 500;
/** A pattern of which nothing was heard for so long makes room for a new one. */
const IDLE_MS = 60 * 60 * 1000;
/** Looking for one that is idle walks over all of them. */
const LOOK_EVERY_MS = 10_000;

/** The patterns of one target: so many and no more, whatever keys there are. */
export class Patterns {
  readonly #patterns = new Map<string, OnePattern>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly most = PATTERNS_MAX) {}

  get size(): number {
    return this.#patterns.size;
  }

  /** What is known of a pattern; undefined: nothing. One that found no room is in `(other)`. */
  find(pattern: string): OnePattern | undefined {
    return this.#patterns.get(pattern);
  }

  /** Where something that happened at a time is counted. */
  at(pattern: string, at: number): OnePattern {
    const known = this.#patterns.get(pattern);
    if (known !== undefined) return known;
    if (pattern !== OTHER_PATTERN && this.#isFull) this.#forgetIdle(at);
    if (pattern !== OTHER_PATTERN && this.#isFull) return this.at(OTHER_PATTERN, at);
    const made = new OnePattern(pattern, at);
    this.#patterns.set(pattern, made);
    return made;
  }

  /** One place is kept for the rest. */
  get #isFull(): boolean {
    const rest = this.#patterns.has(OTHER_PATTERN) ? 1 : 0;
    return this.#patterns.size - rest >= this.most - 1;
  }

  all(): OnePattern[] {
    return [...this.#patterns.values()];
  }

  #forgetIdle(at: number): void {
    if (at - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = at;
    for (const { pattern, lastAt } of this.#patterns.values()) {
      if (pattern !== OTHER_PATTERN && at - lastAt > IDLE_MS) this.#patterns.delete(pattern);
    }
  }
}
