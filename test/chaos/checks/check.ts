import type { AnalyzedHistory, Span } from "../history/analyzed-history.ts";
import type { Entry } from "../history/entry.ts";

export type CheckName = "C1" | "C2" | "C3" | "C4" | "C5" | "C6" | "C7" | "C8" | "C9" | "C10";

/** A violation of an invariant. */
export interface Violation {
  readonly check: CheckName;
  /** Description of the violation with its extent, such as the duration of an overlap. */
  readonly what: string;
  readonly lock: string;
  /** Only the entries that prove the violation, in chronological order. */
  readonly entries: readonly Entry[];
}

/** The result of one check of a history. */
export interface Verdict {
  readonly check: CheckName;
  readonly title: string;
  readonly violations: readonly Violation[];
  /** What the check could not decide, with the reason. Absent if the check decided everything. */
  readonly undecided?: readonly string[];
  /** Lines for the report, with counts and documented exceptions. */
  readonly notes: readonly string[];
}

export type Check = (history: AnalyzedHistory) => Verdict;

export function createViolation(
  check: CheckName,
  what: string,
  entries: readonly (Entry | undefined)[],
): Violation {
  const known = entries.filter((entry) => entry !== undefined);
  const sorted = [...new Set(known)].sort((one, other) => one.t - other.t);
  const lock = sorted.find((entry) => entry.lock !== undefined)?.lock ?? "";
  return { check, what, lock, entries: sorted };
}

export function getSpan({ entries }: Violation): Span {
  return { from: entries[0]?.t ?? 0, to: entries.at(-1)?.t ?? 0 };
}
