import { describe, expect, it } from "vitest";
import { decodeKey } from "../keys/key.ts";
import { formatExactTerm } from "../query/filter.ts";
import { FILTER_CHARACTERS_MAX } from "./limits.ts";
import { LockFilter } from "./list.ts";

describe("exact words of a filter", () => {
  it("find room for the longest owner, whose characters may all need a backslash", () => {
    expect(LockFilter.parse(formatExactTerm("owner", '"'.repeat(1024)))).toHaveLength(2048 + 9);
    expect(formatExactTerm("owner", decodeKey(new Uint8Array(1024).fill(255))).length).toBeLessThan(1400);
    expect(LockFilter.safeParse("a".repeat(FILTER_CHARACTERS_MAX + 1)).success).toBe(false);
  });

  it("do not make room for longer globs", () => {
    expect(LockFilter.safeParse(`key:${"*a".repeat(160)}`).success).toBe(false);
    expect(LockFilter.safeParse(`${"ab ".repeat(160)}`).success).toBe(false);
  });
});
