import { describe, expect, it } from "vitest";
import { overlap } from "./overlap.ts";
import { gave, happened, lost, renewed, stepped, told, took } from "./told.ts";

describe("C1, mutual exclusion", () => {
  it("holds where each asks after the other has begun to give back", () => {
    expect(overlap(told(took("a", 1, 10), gave("a", 50), took("b", 2, 52))).violations).toEqual([]);
  });

  it("holds where the first one's deadline passed, though it never gave back", () => {
    expect(overlap(told(took("a", 1, 10), took("b", 2, 1010))).violations).toEqual([]);
  });

  it("holds where the first one was told of its loss, though its deadline is ahead", () => {
    expect(overlap(told(took("a", 1, 10), lost("a", 300), took("b", 2, 301))).violations).toEqual([]);
  });

  it("is violated by a grant before the first one's deadline, and says for how long", () => {
    const { violations } = overlap(told(took("a", 1, 10), took("b", 2, 909)));
    expect(violations).toMatchObject([{ what: expect.stringMatching(/^a .* b .* 100.0 ms$/) }]);
  });

  it("is violated by a grant before a deadline that a renewal moved", () => {
    const history = [took("a", 1, 10), renewed("a", 500), took("b", 2, 1200)];
    expect(overlap(told(...history)).violations).toHaveLength(1);
  });

  it("is violated by a third one, while the second one has ended already", () => {
    const history = [
      took("a", 1, 10),
      renewed("a", 900),
      took("b", 2, 1100),
      gave("b", 1110),
      took("c", 3, 1120),
    ];
    expect(overlap(told(...history)).violations).toHaveLength(2);
  });

  it("is of owners: who enters again does not overlap with itself", () => {
    const history = [took("a", 1, 10), took("a", 1, 20, { call: 2, count: 2 })];
    expect(overlap(told(...history)).violations).toEqual([]);
  });

  it("is of locks", () => {
    const other = took("b", 2, 20).map((entry) => ({ ...entry, lock: "lock:b" }));
    expect(overlap(told(took("a", 1, 10), other)).violations).toEqual([]);
  });

  it("is documented, with its time, where the first one's data was taken away", () => {
    const { violations, notes } = overlap(
      told(took("a", 1, 10), happened("flushall", 100), took("b", 2, 909)),
    );
    expect(violations).toEqual([]);
    expect(notes[0]).toContain("flushall: 1 overlaps, 100 ms in all, 100 ms the longest");
  });

  it("is violated all the same where the data was taken away before, or something else went wrong", () => {
    const before = [happened("flushall", 1), took("a", 1, 10), took("b", 2, 900)];
    const other = [took("a", 1, 10), happened("stop-server", 100, 50), took("b", 2, 900)];
    for (const history of [before, other]) expect(overlap(told(...history)).violations).toHaveLength(1);
  });

  it("is documented where the clock of its server went ahead by what was left of the lease, and only then", () => {
    const history = [...took("a", 1, 10), ...took("b", 2, 909)];
    const ahead = overlap(told(history, stepped(150, 100, 200)));
    expect(ahead.violations).toEqual([]);
    expect(ahead.notes[0]).toContain("server-clock-step: 1 overlaps, 100 ms in all");
    for (const other of [stepped(80, 100, 200), stepped(150, 920, 200), stepped(-150, 100, 5000)]) {
      expect(overlap(told(history, other)).violations).toHaveLength(1);
    }
  });

  it("is documented where a clock that was set back came right again, not while it was back", () => {
    const history = [...took("a", 1, 110), ...took("b", 2, 909)];
    expect(overlap(told(history, stepped(-5000, 50, 200))).violations).toEqual([]);
    expect(overlap(told(history, stepped(-5000, 50, 2000))).violations).toHaveLength(1);
  });
});
