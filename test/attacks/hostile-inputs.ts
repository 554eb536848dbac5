import { toKeyPattern } from "../../lib/keys/key-pattern.ts";
import { type FilterSubject, matchesFilter, parseFilter } from "../../lib/query/filter.ts";
import { matchesGlob } from "../../lib/query/glob.ts";
import { Glob } from "../../server/redis/glob.ts";

export const createSubject = (key: string): FilterSubject => ({ key, owners: [key], records: [key] });

/** Functions that match or parse a hostile input of a given size, by description of the input. */
const HOSTILE: Readonly<Record<string, (size: number) => unknown>> = {
  "a filter of stars": (size) =>
    matchesFilter(parseFilter(`key:${"*a".repeat(size / 2)}b`), createSubject("a".repeat(size))),
  "a filter of text that nearly matches everywhere": (size) =>
    matchesFilter(parseFilter(`${"a".repeat(size / 2)}b`), createSubject("a".repeat(size))),
  "a filter of blanks": (size) => parseFilter(" \t\n".repeat(size)),
  "a filter of quotes and backslashes": (size) => parseFilter(`owner="${'\\"'.repeat(size)}`),
  "a filter of fields": (size) => parseFilter("key:".repeat(size)),
  "an event glob": (size) => matchesGlob(`${"*?".repeat(size / 2)}b`, "a".repeat(size)),
  "a Redis glob with stars": (size) => new Glob(`${"*a".repeat(size / 2)}b`).matches("a".repeat(size)),
  "a Redis glob with classes": (size) => new Glob(`*${"[a-z]".repeat(size / 8)}*0`).matches("a".repeat(size)),
  "an unclosed character class": (size) => new Glob(`${"[a".repeat(size / 2)}`).matches("a".repeat(size)),
  "the pattern of a key of digits": (size) => toKeyPattern(`lock:${"1a".repeat(size)}`),
  "the pattern of a key of hexadecimal ids": (size) => toKeyPattern("0123abcd-".repeat(size / 8)),
  "the pattern of a key of punctuation": (size) => toKeyPattern("-_".repeat(size)),
};

export const HOSTILE_INPUTS = Object.keys(HOSTILE);

export function processHostileInput(name: string, size: number): void {
  const hostile = HOSTILE[name];
  if (hostile === undefined) throw new Error(name);
  hostile(size);
}
