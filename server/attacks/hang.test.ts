import { describe, expect, it } from "vitest";
import { matchesFilter, matchesGlob, parseFilter } from "../../lib/contract/filter.ts";
import { patternOf } from "../../lib/contract/key-pattern.ts";
import { Glob } from "../../server/redis/glob.ts";

/** Sixteen times is what four times as much takes where time grows by the square, and 64 by the cube. */
const SQUARE = 32;

/** The shortest of several runs: chance makes a run longer, never shorter. */
function msOf(run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 5; turn++) {
    const began = performance.now();
    run();
    least = Math.min(least, performance.now() - began);
  }
  return least;
}

const subject = (key: string) => ({ key, owners: [key], records: [key] });

/** By what is asked to match what, of a size. */
const HOSTILE: Record<string, (size: number) => () => void> = {
  "a filter of stars": (size) => {
    const terms = parseFilter(`key:${"*a".repeat(size / 2)}b`);
    return () => void matchesFilter(terms, subject("a".repeat(size)));
  },
  "a filter of plain text that nearly is there everywhere": (size) => {
    const terms = parseFilter(`${"a".repeat(size / 2)}b`);
    return () => void matchesFilter(terms, subject("a".repeat(size)));
  },
  "a filter of blanks": (size) => () => void parseFilter(" \t\n".repeat(size)),
  "a filter of quotes and backslashes": (size) => () => void parseFilter(`owner="${'\\"'.repeat(size)}`),
  "a filter of fields": (size) => () => void parseFilter("key:".repeat(size)),
  "a glob of events": (size) => () => void matchesGlob(`${"*?".repeat(size / 2)}b`, "a".repeat(size)),
  "a glob of Redis with stars": (size) => {
    const glob = new Glob(`${"*a".repeat(size / 2)}b`);
    return () => void glob.matches("a".repeat(size));
  },
  "a glob of Redis with classes": (size) => {
    const glob = new Glob(`*${"[a-z]".repeat(size / 8)}*0`);
    return () => void glob.matches("a".repeat(size));
  },
  "a class that is never closed": (size) => {
    const glob = new Glob(`${"[a".repeat(size / 2)}`);
    return () => void glob.matches("a".repeat(size));
  },
  "the pattern of a key of digits": (size) => () => void patternOf(`lock:${"1a".repeat(size)}`),
  "the pattern of a key of hexadecimal ids": (size) => () => void patternOf("0123abcd-".repeat(size / 8)),
  "the pattern of a key of marks": (size) => () => void patternOf("-_".repeat(size)),
};

describe("time grows by the square of the size at most", () => {
  it.each(Object.keys(HOSTILE))("for %s", (name) => {
    const hostile = HOSTILE[name];
    if (hostile === undefined) throw new Error(name);
    // As large as it takes to be measured.
    let size = 512;
    while (msOf(hostile(size)) < 1 && size < 2 ** 18) size *= 2;
    const once = msOf(hostile(size));
    const fourTimes = msOf(hostile(size * 4));
    expect(fourTimes / Math.max(once, 0.3)).toBeLessThan(SQUARE);
  });

  it("and at the limits of a request it is less than a fiftieth of a second", () => {
    const terms = parseFilter(`key:${"*a".repeat(147)}b`);
    expect(msOf(() => void matchesFilter(terms, subject("a".repeat(1024))))).toBeLessThan(20);
  });
});
