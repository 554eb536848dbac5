export type Facts = Readonly<Record<string, unknown>>;

/** One figure as it is printed: a line of JSON on standard output. */
export interface Line {
  readonly figure: string;
  readonly unit: string;
  readonly ours: number;
  /** What we reach by what the peer reaches. */
  readonly vs: Readonly<Record<string, number>>;
  readonly conditions: Facts;
}

/** How much is measured: `quick` shows that everything runs, not how fast. */
export type Effort = "full" | "quick";

/** What one run of an experiment is given. */
export interface Run {
  readonly effort: Effort;
  /** The figures that were asked for; what can be left out without the others may be. */
  readonly wanted: readonly string[];
  /** Ends with the run, however it ends: in the reverse order of `later`. */
  later(end: () => unknown): void;
}

/** One measurement; what is measured together is one experiment with several figures. */
export interface Experiment {
  /** Names of the figures: `group.name`. */
  readonly figures: readonly string[];
  /** Takes too long to be part of every run: only when a figure of it is named. */
  readonly isOnDemand?: true;
  measure(run: Run): Promise<readonly Line[]>;
}

/** Four digits: more would be noise. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
