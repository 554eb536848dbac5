import type { Failure, Line } from "../figure.ts";
import { computeMedianInterval, type Interval, isOverlapping } from "../statistics.ts";
import type { Side } from "./plan.ts";

/**
 * A number that is compared between the two checkouts: a figure's own value (`ours`), or its ratio to a peer (`ours ÷
 * redlock`).
 */
export interface Metric {
  readonly metric: string;
  readonly reference: Measured;
  readonly this: Measured;
  /**
   * The value of this checkout divided by that of the reference in the same round. Absent if no round has both values
   * or the divisor is 0.
   */
  readonly ratio?: Interval;
  readonly overlap: boolean;
}

interface Measured extends Interval {
  /** The values, one per round. */
  readonly values: readonly number[];
}

/** The values of one figure in both checkouts. */
export interface Comparison {
  readonly figure: string;
  readonly unit: string;
  readonly metrics: readonly Metric[];
}

/** The results of both checkouts in all rounds so far. */
export class Samples {
  readonly #lines: { readonly round: number; readonly side: Side; readonly line: Line }[] = [];
  readonly failures: (Failure & { readonly side: Side; readonly round: number })[] = [];

  add(round: number, side: Side, line: Line): void {
    this.#lines.push({ round, side, line });
  }

  addFailure(round: number, side: Side, failure: Failure): void {
    this.failures.push({ ...failure, side, round });
  }

  /** Compares the values of a figure. Undefined if one of the checkouts has no value. */
  compareFigure(figure: string): Comparison | undefined {
    const there = this.#groupByRound("reference", figure);
    const here = this.#groupByRound("this", figure);
    const [first] = here.values();
    if (first === undefined || there.size === 0) return undefined;
    const units = new Set([...there.values(), ...here.values()].map(({ unit }) => unit));
    const own = createMetric("ours", there, here, ({ ours }) => ours);
    const ratios = Object.keys(first.vs).map((name) =>
      createMetric(`ours ÷ ${name}`, there, here, ({ vs }) => vs[name]),
    );
    const metrics = [own, ...ratios].filter((metric) => metric !== undefined);
    return { figure, unit: [...units].join(" and "), metrics };
  }

  #groupByRound(side: Side, figure: string): Map<number, Line> {
    const found = this.#lines.filter((sample) => sample.side === side && sample.line.figure === figure);
    return new Map(found.map(({ round, line }) => [round, line]));
  }
}

type ByRound = ReadonlyMap<number, Line>;

function createMetric(
  metric: string,
  there: ByRound,
  here: ByRound,
  of: (line: Line) => number | undefined,
): Metric | undefined {
  const reference = toMeasured([...there.values()].map(of));
  const own = toMeasured([...here.values()].map(of));
  if (reference === undefined || own === undefined) return undefined;
  const ratio = toMeasured(
    [...here].map(([round, line]) => {
      const other = there.get(round);
      return (of(line) ?? Number.NaN) / ((other && of(other)) ?? Number.NaN);
    }),
  );
  return {
    ...{ metric, reference, this: own, overlap: isOverlapping(reference, own) },
    ...(ratio === undefined ? {} : { ratio }),
  };
}

function toMeasured(values: readonly (number | undefined)[]): Measured | undefined {
  const found = values.filter((value): value is number => Number.isFinite(value));
  return found.length === 0 ? undefined : { ...computeMedianInterval(found), values: found };
}
