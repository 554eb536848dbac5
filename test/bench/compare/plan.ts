export type Side = "reference" | "this";

export interface Turn {
  /** The number of the round, starting at 1. */
  readonly round: number;
  readonly side: Side;
}

/**
 * Returns the order of measurements. The reference and this checkout alternate, so that a slowdown of the machine
 * affects both.
 */
export function listTurns(rounds: number): readonly Turn[] {
  return Array.from({ length: rounds }, (_, at) => at + 1).flatMap((round) => [
    { round, side: "reference" },
    { round, side: "this" },
  ]);
}

export interface Plan {
  /** The figures to measure in each run, in order. A batch contains the figures of one experiment. */
  readonly batches: readonly (readonly string[])[];
  readonly onlyHere: readonly string[];
  readonly onlyThere: readonly string[];
}

/**
 * Selects the figures that both checkouts can measure.
 *
 * @param wanted the requested figures
 * @param experiments all figures of this checkout, grouped by experiment
 * @param there all figures of the reference
 */
export function createPlan(
  wanted: readonly string[],
  experiments: readonly (readonly string[])[],
  there: readonly string[],
): Plan {
  const here = experiments.flat();
  const groups = new Set(wanted.map(getGroup));
  const batches = experiments.map((figures) =>
    figures.filter((figure) => wanted.includes(figure) && there.includes(figure)),
  );
  return {
    batches: batches.filter((figures) => figures.length > 0),
    onlyHere: wanted.filter((figure) => !there.includes(figure)),
    onlyThere: there.filter((figure) => !here.includes(figure) && groups.has(getGroup(figure))),
  };
}

/** Groups of figures that require a build of the console. */
const BUILT = ["http", "ui"];

export function needsBuild({ batches }: Plan): boolean {
  return batches.flat().some((figure) => BUILT.includes(getGroup(figure)));
}

function getGroup(figure: string): string {
  return figure.slice(0, figure.indexOf("."));
}
