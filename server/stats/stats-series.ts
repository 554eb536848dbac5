import type { SeriesPoint, SeriesRange, Totals } from "../../lib/contract/stats.ts";
import { LogHistogram } from "./log-histogram.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
export const SERIES_STEP_MS: Record<SeriesRange, number> = { hour: 10 * SECOND, day: 5 * MINUTE };
const SERIES_POINTS: Record<SeriesRange, number> = { hour: 360, day: 288 };

/**
 * The points of one chart range. When the maximum number is exceeded, the oldest point is removed. A point is closed
 * when its interval ends.
 */
class SeriesBuffer {
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

  countAcquisition(): void {
    this.#acquisitions++;
  }

  countExpiry(): void {
    this.#expired++;
  }

  addWaitTime(ms: number): void {
    this.#waits.add(ms);
  }

  isOver(at: number): boolean {
    const stepMs = SERIES_STEP_MS[this.range];
    // A clock that was set back also starts a new point, so the comparison is not `>`.
    return Math.floor(at / stepMs) !== Math.floor(this.#startedAt / stepMs);
  }

  close(at: number, { held, waiting, needsAttention }: Totals): void {
    const seconds = Math.max(1, at - this.#startedAt) / SECOND;
    this.#points.push({
      at,
      held,
      waiting,
      needsAttention,
      acquisitionsPerS: Math.round((this.#acquisitions / seconds) * 100) / 100,
      expired: this.#expired,
      waitedMsP95: this.#waits.quantile(0.95),
    });
    if (this.#points.length > SERIES_POINTS[this.range]) this.#points.shift();
    this.#waits.clear();
    this.#acquisitions = 0;
    this.#expired = 0;
    this.#startedAt = at;
  }
}

/** Time series of the last hour, with a point every 10 s, and of the last day, with a point every 5 min. */
export class StatsSeries {
  readonly #buffers: Readonly<Record<SeriesRange, SeriesBuffer>>;
  readonly #all: readonly SeriesBuffer[];

  constructor(at: number) {
    this.#buffers = { hour: new SeriesBuffer("hour", at), day: new SeriesBuffer("day", at) };
    this.#all = Object.values(this.#buffers);
  }

  getPoints(range: SeriesRange): readonly SeriesPoint[] {
    return this.#buffers[range].points;
  }

  countAcquisition(): void {
    for (const line of this.#all) line.countAcquisition();
  }

  countExpiry(): void {
    for (const line of this.#all) line.countExpiry();
  }

  addWaitTime(ms: number): void {
    for (const line of this.#all) line.addWaitTime(ms);
  }

  /** Completes each data point whose interval has ended. Must be called about once a second. */
  tick(at: number, totals: () => Totals): void {
    const over = this.#all.filter((line) => line.isOver(at));
    if (over.length === 0) return;
    const now = totals();
    for (const line of over) line.close(at, now);
  }
}
