export type Side = "reference" | "this";

export interface Turn {
  /** Starts at 1. */
  readonly round: number;
  readonly side: Side;
}

/** Alternates between the reference and this checkout, so that a machine that slows down affects both. */
export function listTurns(rounds: number): readonly Turn[] {
  return Array.from({ length: rounds }, (_, at) => at + 1).flatMap((round) => [
    { round, side: "reference" },
    { round, side: "this" },
  ]);
}

export interface Plan {
  /** Figures of one run each, in order. Figures that one experiment measures together are in one batch. */
  readonly batches: readonly (readonly string[])[];
  readonly onlyHere: readonly string[];
  readonly onlyThere: readonly string[];
}

/**
 * Plans which figures both sides measure.
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

/** Groups whose figures require a build of the console. */
const BUILT = ["http", "ui"];

export function needsBuild({ batches }: Plan): boolean {
  return batches.flat().some((figure) => BUILT.includes(getGroup(figure)));
}

function getGroup(figure: string): string {
  return figure.slice(0, figure.indexOf("."));
}
