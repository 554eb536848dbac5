import { expect, test } from "vitest";
import { flagIn, withFlag } from "./ui-flags-cookie.ts";

test("a UI choice is stored beside the others, and an unset choice is null", () => {
  const kept = withFlag(withFlag("", "overview", false), "overview-phone", true);
  expect(["overview", "overview-phone", "facets"].map((name) => flagIn(kept, name))).toEqual([
    ...[false, true, null],
  ]);
  expect(flagIn(withFlag(kept, "overview", true), "overview")).toBe(true);
  expect(withFlag(kept, "overview", true).split(".")).toHaveLength(2);
  expect(flagIn("nonsense=1; x", "facets")).toBe(null);
});
