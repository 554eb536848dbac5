import type { BulkItemResult, BulkStreamLine } from "@/lib/api/bulk-release.ts";
import type { BulkItem, BulkOutcome } from "@/lib/contract/actions/bulk-release.ts";
import { BULK_ITEMS_MAX } from "@/lib/contract/limits.ts";
import type { Lock } from "@/lib/contract/lock.ts";

/**
 * The locks to release: either the selected locks, each in its state at the time of selection, or all locks that match
 * a filter.
 */
export type BulkSelection = { locks: readonly Lock[] } | { filter: string };

/**
 * The current step of a bulk release. `reviewing`: the server checks which locks can be released. `reviewed`: the
 * operator decides, or corrects a request that the server refused with `error`. `releasing`: results arrive. `ended`:
 * all results have arrived (`done`), the operator stopped the release (`stopped`), or the response was interrupted
 * before all results had arrived (`cut`). `failed`: the review failed.
 */
export type BulkStep =
  | { at: "reviewing" }
  | { at: "reviewed"; error?: Error }
  | { at: "releasing" }
  | { at: "ended"; how: "done" | "stopped" | "cut" }
  | { at: "failed"; why: Error };

export interface BulkState {
  step: BulkStep;
  /** Number of selected or matching locks; `undefined` while it is not known. */
  found: number | undefined;
  /** Number of results that the current step produces; `undefined` while it is not known. */
  total: number | undefined;
  reviewed: readonly BulkItemResult[];
  /** Results of the current release, at most one per lock. */
  released: readonly BulkItemResult[];
  /** Results of earlier releases, except the results of locks that are reviewed again. */
  before: readonly BulkItemResult[];
}

export type BulkAction =
  | { type: "lines"; lines: readonly BulkStreamLine[] }
  /** The response of the server has ended. */
  | { type: "end" }
  | { type: "send" }
  | { type: "fail"; why: Error; isOver: boolean }
  | { type: "stop" }
  /** Starts another review of the remaining locks. `count` is the number of these locks. */
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

/** Returns the reviewed locks that would be released. */
export function findReleasable({ reviewed }: BulkState): BulkItemResult[] {
  return reviewed.filter(({ outcome }) => outcome === "would_release");
}

/** Outcomes of locks that were not released but that another review may find releasable. */
const RETRYABLE_OUTCOMES: ReadonlySet<BulkOutcome> = new Set(["changed", "unverified", "unknown", "failed"]);

/**
 * Returns the locks to review again: locks that were not released but may be releasable now and, after a release, locks
 * without a result. Returns an empty array during a review or a release.
 */
export function findRemainingItems(state: BulkState): BulkItem[] {
  const { step, released, reviewed } = state;
  const lines = step.at === "ended" ? released : step.at === "reviewed" ? reviewed : [];
  const retryItems = lines.flatMap(toRetryItems);
  return step.at === "ended" ? [...retryItems, ...findUnreportedItems(state)] : retryItems;
}

function toRetryItems({ item, now, outcome }: BulkItemResult): BulkItem[] {
  if (!RETRYABLE_OUTCOMES.has(outcome)) return [];
  // The lock has a new holder that the operator has not seen, so the new hold is reviewed.
  if (now !== undefined) return toBulkItems([now]);
  return outcome === "changed" ? [] : [item];
}

/** Returns the locks that were sent for release but have no result. */
function findUnreportedItems(state: BulkState): BulkItem[] {
  const releasedIndexes = new Set(state.released.map(({ index }) => index));
  return findReleasable(state)
    .map(({ item }) => item)
    .filter((_, index) => !releasedIndexes.has(index));
}

/**
 * Returns the results of the current and all earlier releases for the CSV file, except earlier results of locks that
 * were reviewed again.
 */
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
      // The server refused the request before the first release, so the operator can correct the input and send it
      // again.
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
        before: [...state.before, ...state.released.filter((line) => toRetryItems(line).length === 0)],
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

/** Groups lines by outcome, in the order of their first occurrence. */
export function groupByOutcome(lines: readonly BulkItemResult[]): Map<BulkOutcome, BulkItemResult[]> {
  const groups = new Map<BulkOutcome, BulkItemResult[]>();
  for (const line of lines) {
    const group = groups.get(line.outcome);
    if (group === undefined) groups.set(line.outcome, [line]);
    else group.push(line);
  }
  return groups;
}
