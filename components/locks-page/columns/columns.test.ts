import { expect, it } from "vitest";
import { LOCK_SORT_FIELDS } from "@/lib/contract/lock-sort.ts";
import { COLUMNS } from "./columns.ts";

it("has a column for everything that locks are put in order by", () => {
  expect([...COLUMNS.keys()].sort()).toEqual([...LOCK_SORT_FIELDS].sort());
});
