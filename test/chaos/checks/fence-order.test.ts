import { describe, expect, it } from "vitest";
import { fenceOrder } from "./fence-order.ts";
import { gave, happened, onQuorum, told, took } from "./told.ts";

const violationsOf = (...history: Parameters<typeof told>) => fenceOrder(told(...history)).violations;

describe("C2, the order of fences", () => {
  it("holds where each is above all that were answered before", () => {
    expect(violationsOf(took("a", 1, 10), gave("a", 20), took("b", 2, 30), took("c", 9, 2000))).toEqual([]);
  });

  it("is violated by a smaller one of a later request", () => {
    expect(violationsOf(took("a", 5, 10), gave("a", 20), took("b", 4, 30))).toMatchObject([
      { what: "b was granted 4 after a had 5" },
    ]);
  });

  it("is violated by one that is smaller than an earlier one, though not than the last", () => {
    expect(violationsOf(took("a", 5, 10), took("b", 3, 1500), took("c", 4, 3000))).toHaveLength(2);
  });

  it("is left open by requests that were under way together", () => {
    expect(violationsOf(took("a", 5, 10), took("b", 4, 20, { tookMs: 15 }))).toEqual([]);
  });

  it("is that of the try that was granted, of one who waited", () => {
    const waited = took("b", 4, 900, { tookMs: 0, waitMs: 6000 }).map((entry) =>
      entry.type === "invoke" ? { ...entry, atMs: 1 } : entry,
    );
    expect(violationsOf(took("a", 5, 10), waited)).toHaveLength(1);
  });

  it("is violated by two holds of one fence", () => {
    expect(violationsOf(took("a", 5, 10), took("b", 5, 12, { tookMs: 5 }))).toHaveLength(1);
  });

  it("compares numbers, not text", () => {
    expect(violationsOf(took("a", 9, 10), took("b", 10, 1500))).toEqual([]);
  });

  it("is violated by a hold without a fence, and by one whose fence changes as it is entered again", () => {
    expect(violationsOf(took("a", null, 10))).toHaveLength(1);
    expect(violationsOf(took("a", 1, 10), took("a", 1, 20, { call: 2, count: 2 }))).toEqual([]);
    expect(violationsOf(took("a", 1, 10), took("a", 2, 20, { call: 2, count: 2 }))).toHaveLength(1);
  });

  describe("where data is lost with the clock set back", () => {
    const both = happened("lose-data-and-set-clock-back", 25, 100);
    const smaller = [took("a", 5, 10), gave("a", 20), took("b", 4, 30)];

    it("is said to break, as documented", () => {
      const { violations, notes } = fenceOrder(told(...smaller, both));
      expect(violations).toEqual([]);
      expect(notes[1]).toContain(
        "broke 1 times by lose-data-and-set-clock-back, as documented: b was granted 4",
      );
    });

    it("is said not to have broken where it did not", () => {
      const { notes } = fenceOrder(told(took("a", 5, 10), gave("a", 20), took("b", 6, 30), both));
      expect(notes[1]).toContain("was not seen to break");
    });

    it("is violated all the same before and after, by other faults, and on a quorum", () => {
      const later = [took("a", 5, 10), gave("a", 20), took("b", 4, 300)];
      expect(violationsOf(...later, both)).toHaveLength(1);
      for (const other of ["flushall", "restart-server", "evict", "server-clock-step"]) {
        expect(violationsOf(...smaller, happened(other, 25, 100))).toHaveLength(1);
      }
      expect(violationsOf(onQuorum, ...smaller, both)).toHaveLength(1);
    });

    it("keeps the fence of a hold, also then", () => {
      const entered = [took("a", 5, 30), took("a", 4, 40, { call: 2, count: 2 })];
      expect(violationsOf(...entered, both)).toHaveLength(1);
    });
  });
});
