import { isTouching, type Span } from "./analyzed-history.ts";

/** An index for finding the spans that touch a given span without iterating over all spans. */
export class Spans<Of extends Span> {
  readonly #sorted: readonly Of[];
  /** For each index, the latest end of all spans up to that index. */
  readonly #latest: readonly number[];

  constructor(spans: readonly Of[]) {
    this.#sorted = spans.toSorted((one, other) => one.from - other.from);
    let latest = Number.NEGATIVE_INFINITY;
    this.#latest = this.#sorted.map(({ to }) => {
      latest = Math.max(latest, to);
      return latest;
    });
  }

  /** Returns the spans that touch the given span, ordered by their start. */
  findTouching(span: Span): Of[] {
    const found: Of[] = [];
    for (let at = this.#countUntil(span.to) - 1; (this.#latest[at] ?? -1) >= span.from; at--) {
      const each = this.#sorted[at];
      if (each !== undefined && isTouching(each, span)) found.push(each);
    }
    return found.reverse();
  }

  #countUntil(time: number): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle]?.from ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
