import { expect, it } from "vitest";
import { keepListPlace, listHref, listTop } from "./list-return.ts";

it("the back link restores filter, order and scroll position of the same target only", () => {
  keepListPlace({ search: "?q=late&sort=key&lock=a", top: 800 });
  expect(listHref(undefined)).toBe("/?q=late&sort=key&lock=a");
  expect(listHref("other one")).toBe("/?target=other%20one");
  expect(listTop("?q=late&sort=key&lock=b")).toBe(800);
  expect(listTop("?q=late")).toBe(0);
  keepListPlace({ search: "?target=shop", top: 12 });
  expect(listHref("shop")).toBe("/?target=shop");
  expect([listHref(undefined), listTop("")]).toEqual(["/", 0]);
});
