import { expect, test } from "vitest";
import { readFlag, writeFlag } from "./ui-flags-cookie.ts";

test("a UI choice is stored beside the others, and an unset choice is null", () => {
  const kept = writeFlag(writeFlag("", "overview", false), "overview-phone", true);
  expect(["overview", "overview-phone", "facets"].map((name) => readFlag(kept, name))).toEqual([
    ...[false, true, null],
  ]);
  expect(readFlag(writeFlag(kept, "overview", true), "overview")).toBe(true);
  expect(writeFlag(kept, "overview", true).split(".")).toHaveLength(2);
  expect(readFlag("nonsense=1; x", "facets")).toBe(null);
});
