import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Deadlines } from "./deadlines.ts";

type Step =
  | { do: "set"; key: string; at: number }
  | { do: "delete"; key: string }
  | { do: "due"; now: number }
  | { do: "next" };

const key = fc.constantFrom("a", "b", "c", "d", "e", "f");
const moment = fc.integer({ min: 0, max: 12 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("set" as const), key, at: moment }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("due" as const), now: moment }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("next" as const) }) },
);

/** Reference implementation of `Deadlines` without a heap. */
class Model {
  readonly moments = new Map<string, number>();

  peekNext(): number | undefined {
    return this.moments.size === 0 ? undefined : Math.min(...this.moments.values());
  }

  takeDue(now: number): Map<string, number> {
    const due = new Map([...this.moments].filter(([, at]) => at <= now));
    for (const one of due.keys()) this.moments.delete(one);
    return due;
  }
}

describe("Deadlines", () => {
  it("Deadlines returns the same due keys and next deadline as a plain map", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const deadlines = new Deadlines<string>();
        const model = new Model();
        for (const one of steps) {
          if (one.do === "set") {
            deadlines.set(one.key, one.at);
            model.moments.set(one.key, one.at);
          } else if (one.do === "delete") {
            deadlines.delete(one.key);
            model.moments.delete(one.key);
          } else if (one.do === "due") {
            const keys = deadlines.takeDue(one.now);
            const expected = model.takeDue(one.now);
            expect([...keys].sort()).toEqual([...expected.keys()].sort());
            const moments = keys.map((of) => expected.get(of) ?? 0);
            expect(moments).toEqual(moments.toSorted((a, b) => a - b));
          } else {
            expect(deadlines.peekNext()).toBe(model.peekNext());
          }
          expect(deadlines.size).toBe(model.moments.size);
        }
        expect(deadlines.peekNext()).toBe(model.peekNext());
      }),
      { numRuns: 1000 },
    );
  });

  it("Deadlines returns many due keys in order of their deadlines", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 500 }), (moments) => {
        const deadlines = new Deadlines<number>();
        moments.forEach((at, index) => {
          deadlines.set(index, at);
        });
        const given = deadlines.takeDue(Number.POSITIVE_INFINITY).map((index) => moments[index]);
        expect(given).toEqual(moments.toSorted((a, b) => a - b));
      }),
    );
  });

  it("Deadlines uses only the latest deadline set for a key, whether later or earlier", () => {
    const deadlines = new Deadlines<string>();
    deadlines.set("renewed", 10);
    deadlines.set("renewed", 20);
    deadlines.set("shortened", 30);
    deadlines.set("shortened", 5);
    expect(deadlines.takeDue(10)).toEqual(["shortened"]);
    expect(deadlines.takeDue(30)).toEqual(["renewed"]);
    expect(deadlines.takeDue(30)).toEqual([]);
  });

  it("Deadlines has no next deadline when it is empty", () => {
    const deadlines = new Deadlines<string>();
    expect(deadlines.peekNext()).toBeUndefined();
    deadlines.set("a", 1);
    deadlines.delete("a");
    expect(deadlines.peekNext()).toBeUndefined();
    expect(deadlines.size).toBe(0);
  });
});
