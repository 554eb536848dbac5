import { parseArgs } from "node:util";
import type { Effort } from "./figure.ts";

export const USAGE =
  "Usage: npm run bench -- [area …] [--only FIGURE …] [--quick] [--json] [--list] [--compare REF [--rounds N]]";

/** An error for an invalid command line. The message lists the valid values or shows the usage. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  override toString(): string {
    return this.message;
  }
}

export interface Comparison {
  /** The Git revision to compare with. */
  readonly ref: string;
  readonly rounds: number;
}

export interface Request {
  readonly effort: Effort;
  /** Names of the figures to measure, in the order in which the experiments define them. */
  readonly figures: readonly string[];
  /** Whether to print only JSON, without a table and without files in `bench-results/`. */
  readonly json: boolean;
  /** Whether to print the names of the figures instead of measuring them. */
  readonly list: boolean;
  readonly comparison?: Comparison;
}

/**
 * Number of rounds of a comparison. With at least six rounds, the interval from minimum to maximum contains the median
 * with a probability of 95 %.
 */
const ROUNDS: Readonly<Record<Effort, number>> = { full: 6, quick: 2 };
const ROUNDS_MAX = 1000;

/**
 * Parses the command line.
 *
 * @param known names of all figures, as `group.name`
 * @param onDemand names of the figures that are measured only if they are requested by name
 * @throws UsageError
 */
export function parseRequest(
  argv: readonly string[],
  known: readonly string[],
  onDemand: readonly string[] = [],
): Request {
  const { positionals: areas, values } = parseOptions(argv);
  const only = values.only ?? [];
  const strangeArea = areas.find((area) => !known.some((figure) => isInArea(figure, area)));
  if (strangeArea !== undefined) {
    const groups = [...new Set(known.map(getGroup))].join(", ");
    throw new UsageError(`There is no area "${strangeArea}": ${groups}, or the first words of a figure.`);
  }
  const inAreas = known.filter(
    (figure) => areas.length === 0 || areas.some((area) => isInArea(figure, area)),
  );
  const strange = only.find((figure) => !inAreas.includes(figure));
  if (strange !== undefined) {
    throw new UsageError(`There is no figure "${strange}": ${inAreas.join(", ")}.`);
  }
  const effort = values.quick ? "quick" : "full";
  const comparison = parseComparison(values.compare, values.rounds, effort);
  return {
    effort,
    figures: inAreas.filter((figure) =>
      only.length === 0 ? values.list || !onDemand.includes(figure) : only.includes(figure),
    ),
    json: values.json ?? false,
    list: values.list ?? false,
    ...(comparison === undefined ? {} : { comparison }),
  };
}

function parseComparison(ref: string | undefined, rounds: string | undefined, effort: Effort) {
  if (ref === undefined && rounds !== undefined) throw new UsageError("--rounds needs --compare REF.");
  if (ref === undefined) return undefined;
  const count = rounds === undefined ? ROUNDS[effort] : Number(rounds);
  if (!(Number.isInteger(count) && count >= 1 && count <= ROUNDS_MAX)) {
    throw new UsageError(`--rounds must be an integer from 1 to ${ROUNDS_MAX}, not "${rounds}".`);
  }
  return { ref, rounds: count };
}

function parseOptions(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        quick: { type: "boolean" },
        only: { type: "string", multiple: true },
        json: { type: "boolean" },
        list: { type: "boolean" },
        compare: { type: "string" },
        rounds: { type: "string" },
      },
    });
  } catch {
    throw new UsageError(USAGE);
  }
}

/**
 * Whether a figure belongs to an area, which is a sequence of leading name segments such as `core` or
 * `core.kinds.fair`.
 */
function isInArea(figure: string, area: string): boolean {
  return `${figure}.`.startsWith(`${area}.`);
}

function getGroup(figure: string): string {
  return figure.slice(0, figure.indexOf("."));
}
