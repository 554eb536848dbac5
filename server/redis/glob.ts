import { encodeKey, type Key } from "../../lib/keys/key.ts";

type Token =
  | "*"
  | "?"
  | { characters: string; ranges: [string, string][]; negated: boolean }
  | { literal: string };

/**
 * A glob with Redis syntax: `*`, `?`, `[abc]`, `[^a-z]` and `\` before a literal character. As in Redis, `?` and a
 * class match one byte. Matching uses two pointers and one backtracking point, which bounds the time for every key.
 */
export class Glob {
  readonly #tokens: Token[];

  constructor(readonly pattern: string) {
    this.#tokens = parseTokens(toByteCharacters(pattern));
  }

  matches(key: Key): boolean {
    return this.#matchesText(toByteCharacters(key));
  }

  /** Returns whether the glob matches a key that is given as bytes. Does not decode the key. */
  matchesBytes(key: Uint8Array): boolean {
    return this.#matchesText(Buffer.from(key.buffer, key.byteOffset, key.length).toString("latin1"));
  }

  #matchesText(text: string): boolean {
    const tokens = this.#tokens;
    let token = 0;
    let at = 0;
    let star = -1;
    let resume = 0;
    while (at < text.length) {
      const current = tokens[token];
      if (current === "*") {
        if (token === tokens.length - 1) return true;
        star = token++;
        resume = at;
      } else if (current !== undefined && matchesToken(current, text.charAt(at))) {
        token++;
        at++;
      } else if (star >= 0) {
        token = star + 1;
        at = ++resume;
      } else {
        return false;
      }
    }
    while (tokens[token] === "*") token++;
    return token === tokens.length;
  }
}

/** A set of patterns. The set contains a key if at least one of the patterns matches the key. */
export class KeyPatternSet {
  readonly #globs: readonly Glob[];

  constructor(readonly patterns: readonly string[]) {
    this.#globs = patterns.map((pattern) => new Glob(pattern));
  }

  has(key: Key): boolean {
    return matchesAny(this.#globs, key);
  }
}

/** Removes each pattern that another pattern provably covers (see `covers`). */
export function removeCovered(patterns: readonly string[]): readonly string[] {
  const rest: string[] = [];
  for (const pattern of patterns) {
    if (rest.some((wide) => covers(wide, pattern))) continue;
    const stay = rest.filter((narrow) => !covers(pattern, narrow));
    rest.splice(0, rest.length, ...stay, pattern);
  }
  return rest;
}

/**
 * Returns whether the pattern `wide` provably matches every key that `narrow` matches. Unless the patterns are equal,
 * returns false if either pattern has a class or an escape, or if `wide` has a `?`.
 */
export function covers(wide: string, narrow: string): boolean {
  if (wide === narrow) return true;
  return !/[?[\\]/.test(wide) && !/[[\\]/.test(narrow) && new Glob(wide).matches(narrow);
}

export function matchesAny(globs: readonly Glob[], key: Key): boolean {
  return globs.some((glob) => glob.matches(key));
}

// Nearly all keys are ASCII and need no conversion.
const BEYOND_ASCII = /[^\0-\x7f]/;

function toByteCharacters(key: Key): string {
  return BEYOND_ASCII.test(key) ? Buffer.from(encodeKey(key)).toString("latin1") : key;
}

function matchesToken(token: Exclude<Token, "*">, character: string): boolean {
  if (token === "?") return true;
  if ("literal" in token) return token.literal === character;
  const inside =
    token.characters.includes(character) ||
    token.ranges.some(([from, to]) => character >= from && character <= to);
  return inside !== token.negated;
}

function parseTokens(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === "*" || character === "?") tokens.push(character);
    else if (character === "\\" && at + 1 < pattern.length) tokens.push({ literal: pattern.charAt(++at) });
    else if (character === "[") at = pushClass(pattern, at, tokens);
    else tokens.push({ literal: character });
  }
  return tokens;
}

/** Adds the bytes of a class. As in Redis, a bracket does not close the class if it is escaped or ends a range. */
function pushClass(pattern: string, open: number, tokens: Token[]): number {
  const negated = pattern[open + 1] === "^";
  let characters = "";
  const ranges: [string, string][] = [];
  let at = open + (negated ? 2 : 1);
  for (; at < pattern.length && pattern[at] !== "]"; at++) {
    const from = pattern.charAt(at);
    if (from === "\\" && at + 1 < pattern.length) characters += pattern.charAt(++at);
    else if (pattern[at + 1] === "-" && at + 2 < pattern.length) {
      const to = pattern.charAt(at + 2);
      ranges.push(from <= to ? [from, to] : [to, from]);
      at += 2;
    } else characters += from;
  }
  tokens.push({ characters, ranges, negated });
  return at;
}
