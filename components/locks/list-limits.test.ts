import { expect, it } from "vitest";
import { REASON_CHARACTERS_MAX as CONTRACT_REASON_MAX } from "@/lib/contract/force.ts";
import {
  EXPORT_LOCKS_MAX as CONTRACT_EXPORT_MAX,
  FILTER_CHARACTERS_MAX as CONTRACT_FILTER_MAX,
  LOCK_SORTS,
  LockSort,
} from "@/lib/contract/list.ts";
import { NOTE_CHARACTERS_MAX as CONTRACT_NOTE_MAX } from "@/lib/contract/note.ts";
import { COLUMNS } from "./columns.ts";
import {
  EXPORT_LOCKS_MAX,
  FILTER_CHARACTERS_MAX,
  LOCK_SORT_PATTERN,
  NOTE_CHARACTERS_MAX,
  REASON_CHARACTERS_MAX,
} from "./list-limits.ts";

it("agrees with the contract", () => {
  expect(FILTER_CHARACTERS_MAX).toBe(CONTRACT_FILTER_MAX);
  expect(EXPORT_LOCKS_MAX).toBe(CONTRACT_EXPORT_MAX);
  expect(REASON_CHARACTERS_MAX).toBe(CONTRACT_REASON_MAX);
  expect(NOTE_CHARACTERS_MAX).toBe(CONTRACT_NOTE_MAX);
  expect([...COLUMNS.keys()].sort()).toEqual([...LOCK_SORTS].sort());
  const sorts = [...LOCK_SORTS, ...LOCK_SORTS.map((field) => `-${field}`), "", "--key", "keys", "x"];
  for (const sort of sorts) expect(LOCK_SORT_PATTERN.test(sort)).toBe(LockSort.safeParse(sort).success);
});
