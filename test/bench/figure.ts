export type Facts = Readonly<Record<string, unknown>>;

/** The value of one figure, which is printed as one line of JSON on standard output. */
export interface Line {
  readonly figure: string;
  readonly unit: string;
  readonly ours: number;
  /** Lockkeeper's value divided by each peer's value, by peer. */
  readonly vs: Readonly<Record<string, number>>;
  /** The circumstances of the measurement. `failed` contains the contenders that failed, with the reason. */
  readonly conditions: Facts;
}

/** The failure of a whole figure or of one of its contenders, which is printed as one line of JSON. */
export interface Failure {
  readonly figure: string;
  /** Name of the contender that failed. Absent if the whole figure failed. */
  readonly contender?: string;
  /** The reason for the failure. */
  readonly failed: string;
}

export function formatFailure({ figure, contender, failed }: Failure): string {
  return `FAILED ${figure}${contender === undefined ? "" : `, ${contender}`}: ${failed}`;
}

/** The amount of measurement. `quick` only proves that everything runs; its values are meaningless. */
export type Effort = "full" | "quick";

/** The context of one run of an experiment. */
export interface Run {
  readonly effort: Effort;
  /** Names of the requested figures. An experiment may skip the others. */
  readonly wanted: readonly string[];
  /** Registers a cleanup function. Cleanups run in reverse order when the experiment ends, even after a failure. */
  defer(end: () => unknown): void;
  /**
   * Measures some of the figures and prints them at once. An error fails only these figures. Does nothing if none of
   * `figures` was requested.
   */
  part(figures: readonly string[], measure: () => Promise<readonly Line[]>): Promise<void>;
}

/** A measurement of one or more figures that share its setup. */
export interface Experiment {
  /** Names of the figures, as `group.name`. */
  readonly figures: readonly string[];
  /** Set if the experiment takes so long that it is run only when one of its figures is requested by name. */
  readonly isOnDemand?: true;
  /** Measures and returns the figures that no `part` has printed. */
  measure(run: Run): Promise<readonly Line[]>;
}

/** Rounds a value to four significant digits. */
export function roundValue(value: number): number {
  return Number(value.toPrecision(4));
}

/** Formats a thrown value as a message on one line. */
export function formatReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, " ").trim() || "unknown error";
}
