import { describe, expect, it } from "vitest";
import { overlap } from "./overlap.ts";
import { gave, happened, lost, renewed, stepped, told, took } from "./told.ts";

describe("C1 mutual exclusion", () => {
  it("the exclusion check passes when each grant follows the start of the previous release", () => {
    expect(overlap(told(took("a", 1, 10), gave("a", 50), took("b", 2, 52))).violations).toEqual([]);
  });

  it("the exclusion check passes when the previous lease expired without a release", () => {
    expect(overlap(told(took("a", 1, 10), took("b", 2, 1010))).violations).toEqual([]);
  });

  it("the exclusion check passes when the previous holder learned of its loss before its deadline", () => {
    expect(overlap(told(took("a", 1, 10), lost("a", 300), took("b", 2, 301))).violations).toEqual([]);
  });

  it("the exclusion check reports a grant before the previous deadline, with the length of the overlap", () => {
    const { violations } = overlap(told(took("a", 1, 10), took("b", 2, 909)));
    expect(violations).toMatchObject([{ what: expect.stringMatching(/^a .* b .* 100.0 ms$/) }]);
  });

  it("the exclusion check reports a grant before a deadline that a renewal extended", () => {
    const history = [took("a", 1, 10), renewed("a", 500), took("b", 2, 1200)];
    expect(overlap(told(...history)).violations).toHaveLength(1);
  });

  it("the exclusion check reports a third overlapping hold even after the second one ended", () => {
    const history = [
      took("a", 1, 10),
      renewed("a", 900),
      took("b", 2, 1100),
      gave("b", 1110),
      took("c", 3, 1120),
    ];
    expect(overlap(told(...history)).violations).toHaveLength(2);
  });

  it("the exclusion check ignores reentry by the same owner", () => {
    const history = [took("a", 1, 10), took("a", 1, 20, { call: 2, count: 2 })];
    expect(overlap(told(...history)).violations).toEqual([]);
  });

  it("the exclusion check ignores holds of different locks", () => {
    const other = took("b", 2, 20).map((entry) => ({ ...entry, lock: "lock:b" }));
    expect(overlap(told(took("a", 1, 10), other)).violations).toEqual([]);
  });

  it("the exclusion check notes an overlap after data loss as documented, with its length", () => {
    const { violations, notes } = overlap(
      told(took("a", 1, 10), happened("flushall", 100), took("b", 2, 909)),
    );
    expect(violations).toEqual([]);
    expect(notes[0]).toContain("flushall: 1 overlaps, 100 ms in all, 100 ms the longest");
  });

  it("the exclusion check reports an overlap if the data loss came earlier or the fault was another one", () => {
    const before = [happened("flushall", 1), took("a", 1, 10), took("b", 2, 900)];
    const other = [took("a", 1, 10), happened("stop-server", 100, 50), took("b", 2, 900)];
    for (const history of [before, other]) expect(overlap(told(...history)).violations).toHaveLength(1);
  });

  it("the exclusion check notes an overlap as documented only if the clock skipped the rest of the lease", () => {
    const history = [...took("a", 1, 10), ...took("b", 2, 909)];
    const ahead = overlap(told(history, stepped(150, 100, 200)));
    expect(ahead.violations).toEqual([]);
    expect(ahead.notes[0]).toContain("server-clock-step: 1 overlaps, 100 ms in all");
    for (const other of [stepped(80, 100, 200), stepped(150, 920, 200), stepped(-150, 100, 5000)]) {
      expect(overlap(told(history, other)).violations).toHaveLength(1);
    }
  });

  it("the exclusion check notes an overlap as documented when a clock that was set back is corrected", () => {
    const history = [...took("a", 1, 110), ...took("b", 2, 909)];
    expect(overlap(told(history, stepped(-5000, 50, 200))).violations).toEqual([]);
    expect(overlap(told(history, stepped(-5000, 50, 2000))).violations).toHaveLength(1);
  });
});
