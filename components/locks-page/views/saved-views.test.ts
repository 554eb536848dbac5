import { expect, it } from "vitest";
import { VIEW_ID_PATTERN } from "@/lib/contract/limits.ts";
import { type View, ViewInput } from "@/lib/contract/view.ts";
import {
  applyView,
  buildViewSearch,
  buildViewUpdate,
  createViewId,
  isViewActive,
  type ListSettings,
  toSavedView,
} from "./saved-views.ts";

const SHOWN: ListSettings = { filter: "key:lock:a* held>1m", sort: "-held", columns: "key,held" };

const viewOf = (fields: Partial<View> = {}): View => ({
  ...{ id: "some-view", name: "some", of: "me", by: "mei", mayChange: true },
  ...toSavedView(SHOWN),
  ...fields,
});

it("a saved view restores the list and is recognized as the current view", () => {
  const other: ListSettings = { filter: "", sort: "key", columns: null };
  const view = viewOf();
  expect(applyView(view, other)).toEqual(SHOWN);
  expect([isViewActive(view, SHOWN), isViewActive(view, other)]).toEqual([true, false]);
  for (const change of [{ filter: "" }, { sort: "key" }, { columns: null }])
    expect(isViewActive(view, { ...SHOWN, ...change })).toBe(false);
});

it("a setting that a saved view leaves open keeps its current value", () => {
  const view: View = {
    id: "some-view",
    name: "some",
    filter: "is:needs_attention",
    of: "team",
    by: "mei",
    mayChange: false,
  };
  expect(applyView(view, SHOWN)).toEqual({ ...SHOWN, filter: "is:needs_attention" });
  expect(isViewActive(view, { ...SHOWN, filter: "is:needs_attention" })).toBe(true);
});

it("a saved view is sent in a form that the API accepts", () => {
  for (const shown of [SHOWN, { filter: "", sort: "key", columns: null }]) {
    expect(ViewInput.safeParse({ name: "some", ...toSavedView(shown) }).error).toBeUndefined();
  }
  const { id, ...input } = buildViewUpdate(viewOf(), { name: "other", place: 3 });
  expect([id, ViewInput.parse(input)]).toEqual([
    "some-view",
    { name: "other", filter: SHOWN.filter, sort: "-held", columns: ["key", "held"], of: "me", place: 3 },
  ]);
  expect(createViewId()).toMatch(VIEW_ID_PATTERN);
});

it("the URL of a view can hold any filter", () => {
  const filter = 'key:="a b&q=c#d" é';
  const address = new URL(buildViewSearch({ ...SHOWN, filter }, "stage 1"), "http://x");
  expect(Object.fromEntries(address.searchParams)).toEqual({
    ...{ target: "stage 1", q: filter, sort: "-held", cols: "key,held" },
  });
});
