import type { BulkItem, BulkItemLine, BulkLine, BulkOutcome } from "@/lib/contract/bulk.ts";
import type { Lock } from "@/lib/contract/lock.ts";

/** The contract's limit, written again without zod. A test holds the two together. */
export const BULK_ITEMS_MAX = 1000;

/** What is to be freed: locks that were ticked, as they were seen then, or all that a filter finds. */
export type BulkWish = { locks: readonly Lock[] } | { filter: string };

/**
 * `reviewing`: asks what would become of each; `reviewed`: all is told, and it is decided; `freeing`; `ended`, all
 * done, `stopped` by the operator, or `cut` off, so that it is not known of some.
 */
export type BulkStep =
  | { at: "reviewing" }
  | { at: "reviewed"; error?: string }
  | { at: "freeing" }
  | { at: "ended"; how: "done" | "stopped" | "cut" }
  | { at: "failed"; why: string };

export interface BulkState {
  step: BulkStep;
  /** How many were ticked, or match the filter, in all; undefined while that is not known. */
  found: number | undefined;
  /** How many lines of the present step are expected. */
  total: number | undefined;
  reviewed: readonly BulkItemLine[];
  /** What became of those that were sent. */
  freed: readonly BulkItemLine[];
}

export type BulkAction =
  | { type: "lines"; lines: readonly BulkLine[] }
  /** The answer came to its end. */
  | { type: "end" }
  | { type: "send" }
  | { type: "fail"; why: string; isOver: boolean }
  | { type: "stop" };

export const FIRST_BULK: BulkState = {
  step: { at: "reviewing" },
  found: undefined,
  total: undefined,
  reviewed: [],
  freed: [],
};

export function beginBulk(wish: BulkWish): BulkState {
  return { ...FIRST_BULK, found: "locks" in wish ? wish.locks.length : undefined };
}

export function itemsOf(locks: readonly Lock[]): BulkItem[] {
  return locks.slice(0, BULK_ITEMS_MAX).flatMap(({ key, keyBase64, version }) => {
    if (version === null) return [];
    return [{ key, ...(keyBase64 === undefined ? {} : { keyBase64 }), expect: version }];
  });
}

/** Those that a release would free now. */
export function releasable({ reviewed }: BulkState): BulkItemLine[] {
  return reviewed.filter(({ outcome }) => outcome === "would_release");
}

export function reduceBulk(state: BulkState, action: BulkAction): BulkState {
  const { step } = state;
  switch (action.type) {
    case "lines":
      return action.lines.reduce(withLine, state);
    case "send":
      return { ...state, step: { at: "freeing" }, total: releasable(state).length, freed: [] };
    case "end":
      if (step.at === "reviewing") return { ...state, step: { at: "reviewed" } };
      if (step.at !== "freeing") return state;
      return { ...state, step: { at: "ended", how: isWhole(state) ? "done" : "cut" } };
    case "fail":
      // What was refused before anything was begun can be mended and sent again.
      if (step.at === "freeing" && !action.isOver)
        return { ...state, step: { at: "reviewed", error: action.why } };
      if (step.at === "freeing") return { ...state, step: { at: "ended", how: "cut" } };
      return step.at === "reviewing" ? { ...state, step: { at: "failed", why: action.why } } : state;
    case "stop":
      return step.at === "freeing" ? { ...state, step: { at: "ended", how: "stopped" } } : state;
  }
}

function withLine(state: BulkState, line: BulkLine): BulkState {
  if (line.type === "head") return { ...state, total: line.total, found: line.found ?? state.found };
  if (line.type === "tally") return state;
  if (state.step.at === "reviewing") return { ...state, reviewed: [...state.reviewed, line] };
  return { ...state, freed: [...state.freed, line] };
}

function isWhole({ freed, total }: BulkState): boolean {
  return total !== undefined && freed.length >= total;
}

/** How many of each outcome. */
export function countsOf(lines: readonly BulkItemLine[]): Map<BulkOutcome, number> {
  const counts = new Map<BulkOutcome, number>();
  for (const { outcome } of lines) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return counts;
}

export const OUTCOME_WORDS: Record<BulkOutcome, string> = {
  released: "freed",
  would_release: "would be freed",
  already_gone: "gone already",
  changed: "held by another hold now",
  unsure: "cannot be told whether it is still that hold",
  format_required: "its format has to be named: free it alone",
  read_only: "never freed from here",
  forbidden: "not yours to free",
  unknown: "no answer: may or may not be freed",
  failed: "failed",
};
