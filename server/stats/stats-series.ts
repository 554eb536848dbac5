import type { SeriesPoint, SeriesRange, Totals } from "../../lib/contract/stats.ts";
import { LogHistogram } from "./log-histogram.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
export const STEP_MS: Record<SeriesRange, number> = { hour: 10 * SECOND, day: 5 * MINUTE };
const POINTS: Record<SeriesRange, number> = { hour: 360, day: 288 };

/** One line of the console's charts: so many points and no more, each closed when its time is over. */
class Line {
  readonly #points: SeriesPoint[] = [];
  readonly #waits = new LogHistogram();
  #acquisitions = 0;
  #expired = 0;
  #startedAt: number;

  constructor(
    private readonly range: SeriesRange,
    at: number,
  ) {
    this.#startedAt = at;
  }

  get points(): readonly SeriesPoint[] {
    return this.#points;
  }

  acquired(): void {
    this.#acquisitions++;
  }

  expired(): void {
    this.#expired++;
  }

  waited(ms: number): void {
    this.#waits.add(ms);
  }

  isOver(at: number): boolean {
    const stepMs = STEP_MS[this.range];
    // A clock that was set back begins anew.
    return Math.floor(at / stepMs) !== Math.floor(this.#startedAt / stepMs);
  }

  close(at: number, { held, waiting, abnormal }: Totals): void {
    const seconds = Math.max(1, at - this.#startedAt) / SECOND;
    this.#points.push({
      at,
      held,
      waiting,
      abnormal,
      acquisitionsPerS: Math.round((this.#acquisitions / seconds) * 100) / 100,
      expired: this.#expired,
      waitedMsP95: this.#waits.quantile(0.95),
    });
    if (this.#points.length > POINTS[this.range]) this.#points.shift();
    this.#waits.clear();
    this.#acquisitions = 0;
    this.#expired = 0;
    this.#startedAt = at;
  }
}

/** What happened in the last hour and the last day, in even steps. */
export class Series {
  readonly #lines: Readonly<Record<SeriesRange, Line>>;
  readonly #all: readonly Line[];

  constructor(at: number) {
    this.#lines = { hour: new Line("hour", at), day: new Line("day", at) };
    this.#all = Object.values(this.#lines);
  }

  points(range: SeriesRange): readonly SeriesPoint[] {
    return this.#lines[range].points;
  }

  acquired(): void {
    for (const line of this.#all) line.acquired();
  }

  expired(): void {
    for (const line of this.#all) line.expired();
  }

  waited(ms: number): void {
    for (const line of this.#all) line.waited(ms);
  }

  /** Closes the steps that are over. To be called every second or so. */
  tick(at: number, totals: () => Totals): void {
    const over = this.#all.filter((line) => line.isOver(at));
    if (over.length === 0) return;
    const now = totals();
    for (const line of over) line.close(at, now);
  }
}
