import { describe, expect, it } from "vitest";
import { FILTER_GLOBS_MAX } from "../../lib/contract/list.ts";
import { KEY_BYTES_MAX } from "../../lib/keys/key.ts";
import { toKeyPattern } from "../../lib/keys/key-pattern.ts";
import { matchesFilter, parseFilter } from "../../lib/query/filter.ts";
import { matchesGlob } from "../../lib/query/glob.ts";
import { Glob } from "../../server/redis/glob.ts";

/** Sixteen times is what four times as much takes where time grows by the square, and 64 by the cube. */
const QUADRATIC_RATIO_MAX = 32;
/** A step longer takes 1.6 times as much by the square; where time doubles with each character, hundreds of times. */
const GROWTH_STEP = 1.25;
const STEP_RATIO_MAX = 10;
/** Two pointers with one point of return take a pair some times as long as a bare comparison; one more loop, hundreds of times. */
const PAIR_COST_RATIO_MAX = 20;

/** The shortest of several runs: chance makes a run longer, never shorter. */
function measureMs(run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 5; turn++) {
    const began = performance.now();
    run();
    least = Math.min(least, performance.now() - began);
  }
  return least;
}

/** Two loops that do nothing else: what this machine takes for them just now. */
function countEqualPairs(one: string, other: string): number {
  let alike = 0;
  for (let at = 0; at < one.length; at++) {
    for (let to = 0; to < other.length; to++) if (one.charCodeAt(at) === other.charCodeAt(to)) alike++;
  }
  return alike;
}

function repeat(times: number, run: () => unknown): void {
  for (let turn = 0; turn < times; turn++) run();
}

const createSubject = (key: string) => ({ key, owners: [key], records: [key] });

/** By what is asked to match what, of a size. */
const HOSTILE: Record<string, (size: number) => () => void> = {
  "a filter of stars": (size) => {
    const terms = parseFilter(`key:${"*a".repeat(size / 2)}b`);
    return () => void matchesFilter(terms, createSubject("a".repeat(size)));
  },
  "a filter of text that nearly matches everywhere": (size) => {
    const terms = parseFilter(`${"a".repeat(size / 2)}b`);
    return () => void matchesFilter(terms, createSubject("a".repeat(size)));
  },
  "a filter of blanks": (size) => () => void parseFilter(" \t\n".repeat(size)),
  "a filter of quotes and backslashes": (size) => () => void parseFilter(`owner="${'\\"'.repeat(size)}`),
  "a filter of fields": (size) => () => void parseFilter("key:".repeat(size)),
  "an event glob": (size) => () => void matchesGlob(`${"*?".repeat(size / 2)}b`, "a".repeat(size)),
  "a Redis glob with stars": (size) => {
    const glob = new Glob(`${"*a".repeat(size / 2)}b`);
    return () => void glob.matches("a".repeat(size));
  },
  "a Redis glob with classes": (size) => {
    const glob = new Glob(`*${"[a-z]".repeat(size / 8)}*0`);
    return () => void glob.matches("a".repeat(size));
  },
  "an unclosed character class": (size) => {
    const glob = new Glob(`${"[a".repeat(size / 2)}`);
    return () => void glob.matches("a".repeat(size));
  },
  "the pattern of a key of digits": (size) => () => void toKeyPattern(`lock:${"1a".repeat(size)}`),
  "the pattern of a key of hexadecimal ids": (size) => () => void toKeyPattern("0123abcd-".repeat(size / 8)),
  "the pattern of a key of punctuation": (size) => () => void toKeyPattern("-_".repeat(size)),
};

describe("run time for hostile input", () => {
  it.each(Object.keys(HOSTILE))(
    "the run time grows at most quadratically for %s",
    (name) => {
      const hostile = HOSTILE[name];
      if (hostile === undefined) throw new Error(name);
      // In small steps from a small one on: what grows without measure fails, and does not hang.
      let size = 8;
      let took = measureMs(hostile(size));
      const grow = () => {
        size = Math.ceil(size * GROWTH_STEP);
        const before = took;
        took = measureMs(hostile(size));
        expect(took / Math.max(before, 0.3), `at ${size}`).toBeLessThan(STEP_RATIO_MAX);
      };
      // As large as it takes to be measured.
      while (took < 1 && size < 2 ** 18) grow();
      const [once, most] = [took, size * 4];
      while (size < most) grow();
      expect(took / Math.max(once, 0.3)).toBeLessThan(QUADRATIC_RATIO_MAX);
    },
    60_000,
  );

  it("at the request limits, matching costs a small multiple of comparing every pair of characters", () => {
    const most = FILTER_GLOBS_MAX - 2;
    const globs = [`${"*a".repeat(6)}b`, `${"*a".repeat(most / 2)}b`, `*${"a".repeat(most)}b`];
    for (const glob of globs) {
      const key = "a".repeat(glob.length > most / 2 ? KEY_BYTES_MAX : glob.length);
      const terms = parseFilter(`key:${glob}`);
      const times = Math.ceil((KEY_BYTES_MAX * most) / (key.length * glob.length));
      const matching = measureMs(() => repeat(times, () => matchesFilter(terms, createSubject(key))));
      const comparing = measureMs(() => repeat(times, () => countEqualPairs(glob, key)));
      expect(matching / comparing, glob.slice(0, 40)).toBeLessThan(PAIR_COST_RATIO_MAX);
    }
  });
});
