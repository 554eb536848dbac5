import { describe, expect, it } from "vitest";
import { describeFilterError, parseFilter } from "@/lib/query/filter.ts";
import {
  addViewTerms,
  findSystemView,
  getUnlistedCount,
  listViewFilters,
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
    expect(listViewFilters("is:unlisted")[0]).toBe("");
  });

  it.each([
    ["", { total: 9 }, 27],
    ["waiters>0", { total: 1 }, 27],
    ["billing", { total: 1 }, undefined],
    ["is:unlisted", { total: 26 }, 26],
    ["is:unlisted billing", { total: 3 }, 3],
    ["is:unlisted", undefined, undefined],
  ])("for the filter %s and the window %j its count is %s", (filter, window, expected) => {
    expect(getUnlistedCount(filter, window, 27)).toBe(expected);
  });
});

describe("filters of the system views", () => {
  it("every view is counted with the search, the one in use with the filter as typed", () => {
    expect(listViewFilters("")).toEqual(SYSTEM_VIEWS.map(({ term }) => term));
    expect(listViewFilters("billing  waiters>0")).toEqual([
      "billing",
      "is:needs_attention billing",
      "billing  waiters>0",
      "liveness:no_ttl billing",
      "held>typical billing",
    ]);
  });
});
