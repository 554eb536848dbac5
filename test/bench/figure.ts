export type Facts = Readonly<Record<string, unknown>>;

/** One measured figure. Printed as one line of JSON on standard output. */
export interface Line {
  readonly figure: string;
  readonly unit: string;
  readonly ours: number;
  /** Lockkeeper's value divided by each peer's value. */
  readonly vs: Readonly<Record<string, number>>;
  /** `failed` contains the contenders that failed, with the reason. */
  readonly conditions: Facts;
}

/** A figure that has no value, or a contender that is missing from it. Printed as one line of JSON. */
export interface Failure {
  readonly figure: string;
  /** Present if the figure has a value without this contender. */
  readonly contender?: string;
  /** The reason. */
  readonly failed: string;
}

export function formatFailure({ figure, contender, failed }: Failure): string {
  return `FAILED ${figure}${contender === undefined ? "" : `, ${contender}`}: ${failed}`;
}

/** How much to measure. `quick` only proves that everything runs; its values are meaningless. */
export type Effort = "full" | "quick";

/** The context of one run of an experiment. */
export interface Run {
  readonly effort: Effort;
  /** The requested figures. An experiment may skip the others. */
  readonly wanted: readonly string[];
  /** Registers a cleanup. Cleanups run in reverse order when the experiment ends, however it ends. */
  defer(end: () => unknown): void;
  /**
   * Measures a part of the experiment and prints its figures at once. A part that throws fails its own figures only.
   * Skipped if none of `figures` is wanted.
   */
  part(figures: readonly string[], measure: () => Promise<readonly Line[]>): Promise<void>;
}

/** One measurement. Figures that are measured together belong to one experiment. */
export interface Experiment {
  /** Names of the figures: `group.name`. */
  readonly figures: readonly string[];
  /** Measured only when one of its figures is named, because it takes too long for every run. */
  readonly isOnDemand?: true;
  /** Returns the figures that no part has printed. */
  measure(run: Run): Promise<readonly Line[]>;
}

/** Rounds to four significant digits. */
export function roundValue(value: number): number {
  return Number(value.toPrecision(4));
}

/** The message of anything thrown, on one line. */
export function formatReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, " ").trim() || "unknown error";
}
