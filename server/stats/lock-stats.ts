import type { HistoryEntry, LockEvent } from "../../lib/contract/event.ts";
import type { FormatName } from "../../lib/contract/format.ts";
import { isGap } from "../../lib/contract/gap.ts";
import type {
  PatternCount,
  PatternSortField,
  PatternStats,
  Stats,
  StatsQuery,
  Totals,
  TypicalTimes,
} from "../../lib/contract/stats.ts";
import type { Key } from "../../lib/keys/key.ts";
import { toKeyPattern } from "../../lib/keys/key-pattern.ts";
import type { ObservedHold } from "../watch/holds/observed-hold.ts";
import { HoldGauge } from "./hold-gauge.ts";
import { matchesPattern } from "./pattern-filter.ts";
import { OTHER_PATTERN } from "./pattern-registry.ts";
import { SERIES_STEP_MS, StatsSeries } from "./stats-series.ts";
import type { VerbCall } from "./verb-call.ts";
import { WaitTracker } from "./wait-tracker.ts";

const TICK_MS = 1000;
const TOP = 5;
/**
 * Number of ticks after which the cached typical hold times are cleared. They are cached because sorts and filters need
 * one for each lock.
 */
const TYPICAL_CACHE_TICKS = 5;
/** Minimum number of samples from which a p95 is computed. */
const SAMPLES_MIN = 20;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface LockStatsDeps {
  readonly target: string;
  /** Returns the current time on the Redis clock, in Unix milliseconds. */
  now(): number;
  /** Returns the indexed hold of a key. */
  findHold(key: Key): ObservedHold | undefined;
  /** Counts the locks that need attention now, by format. */
  countNeedingAttention(): ReadonlyMap<FormatName, number>;
}

/**
 * The statistics of one target. Each event updates the statistics, so reading them never iterates over the locks. At
 * startup, the counts of the last 24 hours are restored from the history, while time series and wait times start empty.
 */
export class LockStats {
  readonly holdGauge = new HoldGauge();
  readonly #startedAt: number;
  #since: number;
  readonly #series: StatsSeries;
  readonly #waitTracker: WaitTracker;
  /**
   * The p95 of the hold times by pattern, in ms. A pattern with too few samples is not cached, because the next release
   * may provide enough samples.
   */
  readonly #typicalHeldMs = new Map<string, number>();
  #ticks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: LockStatsDeps) {
    this.#startedAt = deps.now();
    this.#since = this.#startedAt;
    this.#series = new StatsSeries(this.#startedAt);
    this.#waitTracker = new WaitTracker({ ...toTrackerDeps(deps), series: this.#series });
  }

  start(): void {
    this.#timer = setInterval(() => this.tick(), TICK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Closes the points of the time series whose interval has ended. On every fifth call, clears the cache of typical
   * hold times.
   */
  tick(): void {
    if (++this.#ticks % TYPICAL_CACHE_TICKS === 0) this.#typicalHeldMs.clear();
    this.#series.tick(this.deps.now(), () => this.totals);
  }

  /**
   * Updates the statistics after a change to the index. Must be called before `onEvent` is called for the same change.
   */
  onHoldChange(
    key: Key,
    before: ObservedHold | undefined,
    after: ObservedHold | undefined,
    waitersOfFree: number,
  ): void {
    this.holdGauge.update(key, before, after, waitersOfFree);
    this.#waitTracker.onHoldChange(before, after);
  }

  /** Counts the stored events from before this process started. */
  addPastEvents(entries: readonly HistoryEntry[]): void {
    for (const entry of entries) if (!isGap(entry)) this.#waitTracker.addPastEvent(entry);
    const [first] = entries;
    if (first !== undefined)
      this.#since = Math.min(this.#since, Math.max(first.at, this.#startedAt - DAY_MS));
  }

  onEvent(event: LockEvent): void {
    this.#waitTracker.onEvent(event);
  }

  /** Counts the outcome of a verb call that this instance handled. */
  onVerbCall(call: VerbCall, outcome: string): void {
    this.#waitTracker.onVerbCall(call, outcome);
  }

  get totals(): Totals {
    return this.holdGauge.computeTotals(this.deps.countNeedingAttention());
  }

  get expiredInUse(): number {
    return this.#waitTracker.expiredInUse;
  }

  /** Returns the typical hold and wait times of a key's pattern, and their distributions. */
  getTypical(key: Key): TypicalTimes {
    const now = this.deps.now();
    const pattern = toKeyPattern(key);
    const known = this.#waitTracker.patterns.find(pattern);
    const { waitsSince, since } = this.#startTimes;
    const typical =
      known === undefined ? { pattern, heldMs: null, waitedMs: null } : known.computeTypicalAt(now);
    return {
      ...typical,
      ...(known?.listSpreads() ?? { heldSpread: [], waitedSpread: [] }),
      since,
      waitsSince,
    };
  }

  /**
   * Returns the p95 of the hold times of a key's pattern in milliseconds, or `undefined` if too few holds have ended.
   */
  getTypicalHeldMs(key: Key): number | undefined {
    const pattern = toKeyPattern(key);
    const known = this.#typicalHeldMs.get(pattern);
    if (known !== undefined) return known;
    const typicalMs = this.#waitTracker.patterns
      .find(pattern)
      ?.computeHeldMsP95At(this.deps.now(), SAMPLES_MIN);
    if (typicalMs !== undefined) this.#typicalHeldMs.set(pattern, typicalMs);
    return typicalMs;
  }

  /** Returns up to `most` patterns, except `(other)`, ordered by the number of acquisitions, highest first. */
  listBusiest(most: number): PatternStats[] {
    if (most <= 0) return [];
    const all = this.#listPatterns(this.deps.now()).filter(({ pattern }) => pattern !== OTHER_PATTERN);
    return all.sort(compareBy("acquisitions")).slice(0, most);
  }

  queryStats({ range, filter, sort, offset, limit }: StatsQuery): Stats {
    const now = this.deps.now();
    const all = this.#listPatterns(now);
    const matching = all.filter(({ pattern }) => matchesPattern(filter, pattern)).sort(compareBy(sort));
    return {
      target: this.deps.target,
      now,
      ...this.#startTimes,
      totals: this.totals,
      series: { stepMs: SERIES_STEP_MS[range], points: [...this.#series.getPoints(range)] },
      top: {
        contended: listTop(all, "contention"),
        longestWaits: listTop(all, "waited_p95"),
        expiredInUse: listTop(all, "expired_in_use"),
        forceReleases: listTop(all, "force_releases"),
        evictions: listTop(all, "evictions"),
      },
      patterns: { items: matching.slice(offset, offset + limit), total: matching.length },
    };
  }

  get #startTimes() {
    return { since: this.#since, waitsSince: this.#startedAt };
  }

  #listPatterns(now: number): PatternStats[] {
    return this.#waitTracker.patterns.list().map((one) => one.computeFiguresAt(now));
  }
}

function toTrackerDeps(deps: LockStatsDeps) {
  return { now: () => deps.now(), findHold: (key: Key) => deps.findHold(key) };
}

type PatternMeasure = Exclude<PatternSortField, "pattern">;

const COUNT_OF_SORT: Readonly<
  Record<Exclude<PatternMeasure, "contention" | "held_p95" | "waited_p95">, PatternCount>
> = {
  acquisitions: "acquisitions",
  waits: "waits",
  refusals: "refusals",
  given_up: "givenUp",
  expired: "expired",
  expired_in_use: "expiredInUse",
  renewals_failed: "renewalsFailed",
  force_releases: "forceReleases",
  evictions: "evictions",
};

function getMeasure(stats: PatternStats, by: PatternMeasure): number {
  if (by === "contention") return stats.waits + stats.refusals;
  if (by === "held_p95") return stats.heldMs?.p95 ?? -1;
  if (by === "waited_p95") return stats.waitedMs?.p95 ?? -1;
  return stats[COUNT_OF_SORT[by]];
}

function compareBy(sort: PatternSortField): (one: PatternStats, two: PatternStats) => number {
  return (one, two) => {
    const difference = sort === "pattern" ? 0 : getMeasure(two, sort) - getMeasure(one, sort);
    if (difference !== 0) return difference;
    return one.pattern < two.pattern ? -1 : one.pattern > two.pattern ? 1 : 0;
  };
}

function listTop(all: readonly PatternStats[], by: PatternMeasure): PatternStats[] {
  return all
    .filter((stats) => getMeasure(stats, by) > 0)
    .sort(compareBy(by))
    .slice(0, TOP);
}
