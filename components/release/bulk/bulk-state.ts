import type { BulkItemResult, BulkStreamLine } from "@/lib/api/bulk-release.ts";
import type { BulkItem, BulkOutcome } from "@/lib/contract/actions/bulk-release.ts";
import { BULK_ITEMS_MAX } from "@/lib/contract/limits.ts";
import type { Lock } from "@/lib/contract/lock.ts";

/** What is to be freed: locks that were ticked, as they were seen then, or all that a filter finds. */
export type BulkSelection = { locks: readonly Lock[] } | { filter: string };

/**
 * `reviewing`: asks what would become of each; `reviewed`: all is told, and it is decided; `releasing`; `ended`, all
 * done, `stopped` by the operator, or `cut` off, so that it is not known of some.
 */
export type BulkStep =
  | { at: "reviewing" }
  | { at: "reviewed"; error?: Error }
  | { at: "releasing" }
  | { at: "ended"; how: "done" | "stopped" | "cut" }
  | { at: "failed"; why: Error };

export interface BulkState {
  step: BulkStep;
  /** How many were ticked, or match the filter, in all; undefined while that is not known. */
  found: number | undefined;
  /** How many lines of the present step are expected. */
  total: number | undefined;
  reviewed: readonly BulkItemResult[];
  /** What became of those that were sent. */
  released: readonly BulkItemResult[];
  /** What became of those that were sent before the last look, and are not looked at again. */
  before: readonly BulkItemResult[];
}

export type BulkAction =
  | { type: "lines"; lines: readonly BulkStreamLine[] }
  /** The answer came to its end. */
  | { type: "end" }
  | { type: "send" }
  | { type: "fail"; why: Error; isOver: boolean }
  | { type: "stop" }
  /** Looks at those that are left anew. */
  | { type: "again"; count: number };

export const INITIAL_BULK_STATE: BulkState = {
  step: { at: "reviewing" },
  found: undefined,
  total: undefined,
  reviewed: [],
  released: [],
  before: [],
};

export function createBulkState(wish: BulkSelection): BulkState {
  return { ...INITIAL_BULK_STATE, found: "locks" in wish ? wish.locks.length : undefined };
}

export function toBulkItems(locks: readonly Lock[]): BulkItem[] {
  return locks.slice(0, BULK_ITEMS_MAX).flatMap((lock) => toBulkItem(lock) ?? []);
}

function toBulkItem({ key, keyBase64, version }: Lock): BulkItem | undefined {
  if (version === null) return undefined;
  return { key, ...(keyBase64 === undefined ? {} : { keyBase64 }), expectedVersion: version };
}

/** Those that a release would free now. */
export function findReleasable({ reviewed }: BulkState): BulkItemResult[] {
  return reviewed.filter(({ outcome }) => outcome === "would_release");
}

/** What another look may find freeable: the hold that is there by now, or the same one again. */
const RETRYABLE_OUTCOMES: ReadonlySet<BulkOutcome> = new Set(["changed", "unverified", "unknown", "failed"]);

/** Those that were not freed and may be after another look, as they are to be looked at. */
export function findRemainingItems(state: BulkState): BulkItem[] {
  const { step, released, reviewed } = state;
  const lines = step.at === "ended" ? released : step.at === "reviewed" ? reviewed : [];
  const retryItems = lines.filter(({ outcome }) => RETRYABLE_OUTCOMES.has(outcome)).flatMap(toRetryItems);
  return step.at === "ended" ? [...retryItems, ...findUnreportedItems(state)] : retryItems;
}

function toRetryItems({ item, now, outcome }: BulkItemResult): BulkItem[] {
  // Whoever is there instead has not been seen, so it is that one that is looked at.
  if (now !== undefined) return toBulkItems([now]);
  return outcome === "changed" ? [] : [item];
}

/** Those that were sent, and of which nothing was heard. */
function findUnreportedItems(state: BulkState): BulkItem[] {
  const releasedIndexes = new Set(state.released.map(({ index }) => index));
  return findReleasable(state)
    .map(({ item }) => item)
    .filter((_, index) => !releasedIndexes.has(index));
}

/** All that became of any, the last of each, for a file. */
export function collectResults({ before, released }: BulkState): BulkItemResult[] {
  return [...before, ...released];
}

export function reduceBulk(state: BulkState, action: BulkAction): BulkState {
  const { step } = state;
  switch (action.type) {
    case "lines":
      return addLines(state, action.lines);
    case "send":
      return { ...state, step: { at: "releasing" }, total: findReleasable(state).length, released: [] };
    case "end":
      if (step.at === "reviewing") return { ...state, step: { at: "reviewed" } };
      if (step.at !== "releasing") return state;
      return { ...state, step: { at: "ended", how: isComplete(state) ? "done" : "cut" } };
    case "fail":
      // What was refused before anything was begun can be mended and sent again.
      if (step.at === "releasing" && !action.isOver)
        return { ...state, step: { at: "reviewed", error: action.why } };
      if (step.at === "releasing") return { ...state, step: { at: "ended", how: "cut" } };
      return step.at === "reviewing" ? { ...state, step: { at: "failed", why: action.why } } : state;
    case "stop":
      return step.at === "releasing" ? { ...state, step: { at: "ended", how: "stopped" } } : state;
    case "again":
      return {
        ...INITIAL_BULK_STATE,
        found: action.count,
        before: [
          ...state.before,
          ...state.released.filter(({ outcome }) => !RETRYABLE_OUTCOMES.has(outcome)),
        ],
      };
  }
}

function addLines(state: BulkState, lines: readonly BulkStreamLine[]): BulkState {
  const items = lines.filter((line) => line.type === "item");
  const head = lines.find((line) => line.type === "head");
  const known =
    head === undefined ? state : { ...state, total: head.total, found: head.found ?? state.found };
  const place = known.step.at === "reviewing" ? "reviewed" : "released";
  return items.length === 0 ? known : { ...known, [place]: [...known[place], ...items] };
}

function isComplete({ released, total }: BulkState): boolean {
  return total !== undefined && released.length >= total;
}

export function isReleased({ outcome }: Pick<BulkItemResult, "outcome">): boolean {
  return outcome === "released" || outcome === "already_gone";
}

/** By outcome, in the order in which each came first. */
export function groupByOutcome(lines: readonly BulkItemResult[]): Map<BulkOutcome, BulkItemResult[]> {
  const groups = new Map<BulkOutcome, BulkItemResult[]>();
  for (const line of lines) {
    const group = groups.get(line.outcome);
    if (group === undefined) groups.set(line.outcome, [line]);
    else group.push(line);
  }
  return groups;
}
