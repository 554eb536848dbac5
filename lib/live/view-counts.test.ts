import { describe, expect, it } from "vitest";
import type { LiveCounts } from "@/lib/contract/live-counts.ts";
import { applyCounts, CountRequests } from "./view-counts.ts";

const branch = (name: string, holds: number) => ({ name, holds, needsAttention: 0, waiting: 0 });
const message = (change: Partial<LiveCounts>): LiveCounts => ({
  ...{ now: 1, held: 0, waiting: 0, needsAttention: 0, filters: [], namespaces: [], complete: false },
  ...change,
});

describe("view counts", () => {
  it("namespaces that did not change keep their counts, and a complete message replaces all", () => {
    const first = applyCounts(undefined, message({ namespaces: [branch("a:", 1), branch("b:", 2)] }));
    const second = applyCounts(first, message({ held: 4, namespaces: [branch("b:", 3)] }));
    expect([...second.namespaces.values()].map(({ name, holds }) => [name, holds])).toEqual([
      ["a:", 1],
      ["b:", 3],
    ]);
    expect(second.held).toBe(4);
    const third = applyCounts(second, message({ complete: true, namespaces: [branch("c:", 1)] }));
    expect([...third.namespaces.keys()]).toEqual(["c:"]);
  });

  it("a filter that is being evaluated has no count", () => {
    const first = applyCounts(undefined, message({ filters: [{ filter: "a", total: 1 }] }));
    expect(applyCounts(first, message({})).filters.get("a")).toBeUndefined();
  });

  it("what several parts of a page want is counted once, until the last of them withdraws", () => {
    const requests = new CountRequests();
    const withdraw = requests.add({ counts: ["a", "b"] });
    const withdrawOther = requests.add({ counts: ["b"], namespaces: [""] });
    expect(requests.toView()).toEqual({ counts: ["a", "b"], namespaces: [""] });
    withdraw();
    expect(requests.toView()).toEqual({ counts: ["b"], namespaces: [""] });
    withdrawOther();
    expect(requests.toView()).toEqual({});
  });
});
