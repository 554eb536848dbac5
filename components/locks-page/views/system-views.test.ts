import { describe, expect, it } from "vitest";
import type { Totals } from "@/lib/contract/stats.ts";
import { describeFilterError, parseFilter } from "@/lib/query/filter.ts";
import {
  addViewTerms,
  findSystemView,
  getUnlistedCount,
  getViewCount,
  removeViewTerms,
  SYSTEM_VIEWS,
  type SystemView,
  type SystemViewId,
  UNLISTED_VIEW,
} from "./system-views.ts";

function named(id: SystemViewId): SystemView {
  const view = SYSTEM_VIEWS.find((each) => each.id === id);
  if (view === undefined) throw new Error(`There is no view ${id}.`);
  return view;
}

const TOTALS: Totals = {
  held: 9,
  ended: 0,
  waiting: 0,
  needsAttention: 2,
  byFormat: [],
  byLiveness: [{ liveness: "no_ttl", held: 2 }],
};

describe("system views", () => {
  it("every system view is a filter that the API understands", () => {
    for (const { term } of SYSTEM_VIEWS) {
      expect(describeFilterError(term)).toBeUndefined();
      expect(parseFilter(term).every(({ field }) => field !== "any")).toBe(true);
    }
  });

  it("a system view is recognized in a filter and leaves the other terms alone", () => {
    expect(findSystemView("").id).toBe("all");
    expect(findSystemView("billing").id).toBe("all");
    expect(findSystemView("key:a* waiters>0").id).toBe("waited");
    const filter = 'key:="a  is:needs_attention" is:needs_attention billing';
    expect(findSystemView(filter).id).toBe("needsAttention");
    expect(removeViewTerms(filter)).toBe('key:="a  is:needs_attention" billing');
    expect(addViewTerms(filter, named("noTtl"))).toBe('liveness:no_ttl key:="a  is:needs_attention" billing');
    expect(addViewTerms(filter, named("all"))).toBe('key:="a  is:needs_attention" billing');
    expect(addViewTerms("", named("pastTypical"))).toBe("held>typical");
  });
});

describe("the view of unlisted locks", () => {
  it("is recognized in a filter, and another view replaces it", () => {
    expect(findSystemView("is:unlisted billing")).toBe(UNLISTED_VIEW);
    expect(addViewTerms("is:unlisted billing", named("waited"))).toBe("waiters>0 billing");
    expect(addViewTerms("waiters>0 billing", UNLISTED_VIEW)).toBe("is:unlisted billing");
    expect(addViewTerms("is:unlisted billing", named("all"))).toBe("billing");
  });

  it("leaves the count of the view of all locks as it is", () => {
    const from = { filter: "is:unlisted", window: { total: 27, held: 9 }, totals: TOTALS, queryCounts: [] };
    expect(getViewCount(named("all"), from)).toBe(9);
  });

  it.each([
    ["", { total: 9, held: 9 }, 27],
    ["waiters>0", { total: 1, held: 9 }, 27],
    ["billing", { total: 1, held: 9 }, undefined],
    ["is:unlisted", { total: 26, held: 9 }, 26],
    ["is:unlisted billing", { total: 3, held: 9 }, 3],
    ["is:unlisted", undefined, undefined],
  ])("for the filter %s and the window %j its count is %s", (filter, window, expected) => {
    expect(getUnlistedCount(filter, window, 27)).toBe(expected);
  });
});

describe("counts of system views", () => {
  const window = { total: 3, held: 9 };

  it("the counts of system views come from the stream and the stats only", () => {
    const from = { filter: "is:needs_attention", window, totals: TOTALS, queryCounts: [5, 6] };
    expect(SYSTEM_VIEWS.map((view) => getViewCount(view, from))).toEqual([9, 3, 5, 2, 6]);
  });

  it("without a filter, the other system views show the counts known from the stats", () => {
    const from = { filter: "", window, totals: TOTALS, queryCounts: [] };
    expect(SYSTEM_VIEWS.map((view) => getViewCount(view, from))).toEqual([3, 2, undefined, 2, undefined]);
  });

  it("the other system views show no count while a search is active", () => {
    const from = { filter: "waiters>0 billing", window, totals: TOTALS, queryCounts: [5, 6] };
    const counts = SYSTEM_VIEWS.map((view) => getViewCount(view, from));
    expect(counts).toEqual([undefined, undefined, 3, undefined, undefined]);
  });

  it("system views show no count before the data of the current search arrives", () => {
    const from = { filter: "", window: undefined, totals: undefined, queryCounts: [] };
    expect(SYSTEM_VIEWS.map((view) => getViewCount(view, from))).toEqual(SYSTEM_VIEWS.map(() => undefined));
  });
});
