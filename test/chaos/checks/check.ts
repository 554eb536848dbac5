import type { AnalyzedHistory, Span } from "../history/analyzed-history.ts";
import type { Entry } from "../history/entry.ts";

export type CheckName = "C1" | "C2" | "C3" | "C4" | "C5" | "C6" | "C7" | "C8" | "C9";

/** Something that must not be. */
export interface Violation {
  readonly check: CheckName;
  /** Says what is wrong, and by how much. */
  readonly what: string;
  readonly lock: string;
  /** What shows it and no more, in the order of time. */
  readonly entries: readonly Entry[];
}

/** Something that may be, because what is needed to keep it was taken away; or a figure. */
export interface Verdict {
  readonly check: CheckName;
  readonly title: string;
  readonly violations: readonly Violation[];
  /** What it could not judge, and why: neither held nor violated. Absent: it judged all. */
  readonly undecided?: readonly string[];
  /** Lines for people: what was counted, what is documented. */
  readonly notes: readonly string[];
}

export type Check = (story: AnalyzedHistory) => Verdict;

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
