import type { HistoryEntry, LockEvent } from "../../lib/contract/event.ts";
import type { FormatName } from "../../lib/contract/format.ts";
import { isGap } from "../../lib/contract/gap.ts";
import type {
  PatternFigures,
  PatternSort,
  Stats,
  StatsQuery,
  Totals,
  Usual,
} from "../../lib/contract/stats.ts";
import type { Key } from "../../lib/keys/key.ts";
import { patternOf } from "../../lib/keys/key-pattern.ts";
import type { Hold } from "../watch/holds/observed-hold.ts";
import { Census } from "./hold-gauge.ts";
import { matchesPattern } from "./pattern-filter.ts";
import { OTHER_PATTERN } from "./pattern-registry.ts";
import { Series, STEP_MS } from "./stats-series.ts";
import type { VerbCall } from "./verb-call.ts";
import { Ledger } from "./wait-tracker.ts";

const TICK_MS = 1000;
const TOP = 5;
/** Asked of each lock of an order: what is usual is looked up once a pattern, and again after so many ticks. */
const USUAL_KEPT_TICKS = 5;
/** One in twenty of fewer than twenty is nobody. */
const SAMPLES_MIN = 20;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface FiguresParts {
  readonly target: string;
  /** Redis's clock, Unix milliseconds. */
  now(): number;
  /** The picture of a key at this moment. */
  holdOf(key: Key): Hold | undefined;
  /** How many locks are abnormal at this moment, by their format. */
  abnormal(): ReadonlyMap<FormatName, number>;
}

/**
 * The figures of one target: counted as things happen, so that asking for them never walks over the locks. What the
 * history keeps of the last day is counted when it is read at the start; series and waits begin anew with the process.
 */
export class Figures {
  readonly census = new Census();
  readonly #startedAt: number;
  #since: number;
  readonly #series: Series;
  readonly #ledger: Ledger;
  /** By pattern. What has too few yet is asked each time: it may have enough with the next release. */
  readonly #usualHeld = new Map<string, number>();
  #ticks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: FiguresParts) {
    this.#startedAt = parts.now();
    this.#since = this.#startedAt;
    this.#series = new Series(this.#startedAt);
    this.#ledger = new Ledger({ ...partsOf(parts), series: this.#series });
  }

  start(): void {
    this.#timer = setInterval(() => this.tick(), TICK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Closes the steps of the series that are over. */
  tick(): void {
    if (++this.#ticks % USUAL_KEPT_TICKS === 0) this.#usualHeld.clear();
    this.#series.tick(this.parts.now(), () => this.totals);
  }

  /** The picture of a key has changed. To be called before the events that tell of it. */
  seen(key: Key, before: Hold | undefined, after: Hold | undefined, waitersOfFree: number): void {
    this.census.change(key, before, after, waitersOfFree);
    this.#ledger.seen(before, after);
  }

  /** What the history tells of the time before this process. */
  remember(entries: readonly HistoryEntry[]): void {
    for (const entry of entries) if (!isGap(entry)) this.#ledger.remember(entry);
    const [first] = entries;
    if (first !== undefined)
      this.#since = Math.min(this.#since, Math.max(first.at, this.#startedAt - DAY_MS));
  }

  event(event: LockEvent): void {
    this.#ledger.event(event);
  }

  /** What became of a call of one of our own verbs. */
  verb(call: VerbCall, outcome: string): void {
    this.#ledger.verb(call, outcome);
  }

  get totals(): Totals {
    return this.census.totals(this.parts.abnormal());
  }

  get expiredInUse(): number {
    return this.#ledger.expiredInUse;
  }

  /** What is usual for a key's pattern. */
  usual(key: Key): Usual {
    const now = this.parts.now();
    const pattern = patternOf(key);
    const known = this.#ledger.patterns.find(pattern);
    const { waitsSince, since } = this.#beginnings;
    const usual = known === undefined ? { pattern, heldMs: null, waitedMs: null } : known.usualAt(now);
    return { ...usual, ...(known?.spreads() ?? { heldSpread: [], waitedSpread: [] }), since, waitsSince };
  }

  /** For how long nineteen of twenty locks of the key's pattern were held; undefined: too few have ended to tell. */
  usualHeldMs(key: Key): number | undefined {
    const pattern = patternOf(key);
    const known = this.#usualHeld.get(pattern);
    if (known !== undefined) return known;
    const usualMs = this.#ledger.patterns.find(pattern)?.heldMsP95At(this.parts.now(), SAMPLES_MIN);
    if (usualMs !== undefined) this.#usualHeld.set(pattern, usualMs);
    return usualMs;
  }

  /** Those that were acquired most, `(other)` left out. */
  busiest(most: number): PatternFigures[] {
    if (most <= 0) return [];
    const all = this.#all(this.parts.now()).filter(({ pattern }) => pattern !== OTHER_PATTERN);
    return all.sort(comparing("acquisitions")).slice(0, most);
  }

  stats({ range, filter, sort, offset, limit }: StatsQuery): Stats {
    const now = this.parts.now();
    const all = this.#all(now);
    const matching = all.filter(({ pattern }) => matchesPattern(filter, pattern)).sort(comparing(sort));
    return {
      target: this.parts.target,
      now,
      ...this.#beginnings,
      totals: this.totals,
      series: { stepMs: STEP_MS[range], points: [...this.#series.points(range)] },
      top: {
        contended: topOf(all, "contention"),
        longestWaits: topOf(all, "waitedMsP95"),
        expiredInUse: topOf(all, "expiredInUse"),
        forceReleases: topOf(all, "forceReleases"),
        evictions: topOf(all, "evictions"),
      },
      patterns: { items: matching.slice(offset, offset + limit), total: matching.length },
    };
  }

  get #beginnings() {
    return { since: this.#since, waitsSince: this.#startedAt };
  }

  #all(now: number): PatternFigures[] {
    return this.#ledger.patterns.all().map((one) => one.figuresAt(now));
  }
}

function partsOf(parts: FiguresParts) {
  return { now: () => parts.now(), holdOf: (key: Key) => parts.holdOf(key) };
}

type Measure = Exclude<PatternSort, "pattern">;

function measureOf(figures: PatternFigures, by: Measure): number {
  if (by === "contention") return figures.waits + figures.refusals;
  if (by === "heldMsP95") return figures.heldMs?.p95 ?? -1;
  if (by === "waitedMsP95") return figures.waitedMs?.p95 ?? -1;
  return figures[by];
}

function comparing(sort: PatternSort): (one: PatternFigures, two: PatternFigures) => number {
  return (one, two) => {
    const difference = sort === "pattern" ? 0 : measureOf(two, sort) - measureOf(one, sort);
    if (difference !== 0) return difference;
    return one.pattern < two.pattern ? -1 : one.pattern > two.pattern ? 1 : 0;
  };
}

function topOf(all: readonly PatternFigures[], by: Measure): PatternFigures[] {
  return all
    .filter((figures) => measureOf(figures, by) > 0)
    .sort(comparing(by))
    .slice(0, TOP);
}
