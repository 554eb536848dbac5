import { expect, it } from "vitest";
import { VIEW_ID_PATTERN } from "@/lib/contract/limits.ts";
import { type View, ViewInput } from "@/lib/contract/view.ts";
import { changedView, isShown, keptOf, newViewId, openedIn, type Shown, searchOf } from "./saved-views.ts";

const SHOWN: Shown = { filter: "key:lock:a* held>1m", sort: "-held", columns: "key,held" };

const viewOf = (fields: Partial<View> = {}): View => ({
  ...{ id: "some-view", name: "some", of: "me", by: "mei", mayChange: true },
  ...keptOf(SHOWN),
  ...fields,
});

it("a saved view restores the list and is recognized as the current view", () => {
  const other: Shown = { filter: "", sort: "key", columns: null };
  const view = viewOf();
  expect(openedIn(view, other)).toEqual(SHOWN);
  expect([isShown(view, SHOWN), isShown(view, other)]).toEqual([true, false]);
  for (const change of [{ filter: "" }, { sort: "key" }, { columns: null }])
    expect(isShown(view, { ...SHOWN, ...change })).toBe(false);
});

it("a setting that a saved view leaves open keeps its current value", () => {
  const view: View = {
    id: "some-view",
    name: "some",
    filter: "is:abnormal",
    of: "team",
    by: "mei",
    mayChange: false,
  };
  expect(openedIn(view, SHOWN)).toEqual({ ...SHOWN, filter: "is:abnormal" });
  expect(isShown(view, { ...SHOWN, filter: "is:abnormal" })).toBe(true);
});

it("a saved view is sent in a form that the API accepts", () => {
  for (const shown of [SHOWN, { filter: "", sort: "key", columns: null }]) {
    expect(ViewInput.safeParse({ name: "some", ...keptOf(shown) }).error).toBeUndefined();
  }
  const { id, ...input } = changedView(viewOf(), { name: "other", place: 3 });
  expect([id, ViewInput.parse(input)]).toEqual([
    "some-view",
    { name: "other", filter: SHOWN.filter, sort: "-held", columns: ["key", "held"], of: "me", place: 3 },
  ]);
  expect(newViewId()).toMatch(VIEW_ID_PATTERN);
});

it("the URL of a view can hold any filter", () => {
  const filter = 'key:="a b&q=c#d" é';
  const address = new URL(searchOf({ ...SHOWN, filter }, "stage 1"), "http://x");
  expect(Object.fromEntries(address.searchParams)).toEqual({
    ...{ target: "stage 1", q: filter, sort: "-held", cols: "key,held" },
  });
});
