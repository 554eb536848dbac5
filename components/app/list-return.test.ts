import { expect, it } from "vitest";
import { buildListHref, getListScrollTop, rememberListPosition } from "./list-return.ts";

it("the back link restores filter, order and scroll position of the same target only", () => {
  rememberListPosition({ search: "?q=late&sort=key&lock=a", top: 800 });
  expect(buildListHref(undefined)).toBe("/?q=late&sort=key&lock=a");
  expect(buildListHref("other one")).toBe("/?target=other%20one");
  expect(getListScrollTop("?q=late&sort=key&lock=b")).toBe(800);
  expect(getListScrollTop("?q=late")).toBe(0);
  rememberListPosition({ search: "?target=shop", top: 12 });
  expect(buildListHref("shop")).toBe("/?target=shop");
  expect([buildListHref(undefined), getListScrollTop("")]).toEqual(["/", 0]);
});
