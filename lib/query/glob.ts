/** Maximum number of steps of the simple algorithm per character of the glob and the text. */
const STEPS_PER_CHARACTER = 4;
const WORD_BITS = 31;

/**
 * Returns whether `text` matches `glob`, in which `*` stands for any run of characters and `?` for one character.
 *
 * First uses a simple algorithm with two pointers and one backtracking point, which takes linear time for nearly all
 * texts. Its worst case is quadratic (`*aaab` on `aaaa…`), so an algorithm with bounded time takes over after
 * `STEPS_PER_CHARACTER` steps per character.
 */
export function matchesGlob(glob: string, text: string): boolean {
  let g = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  let steps = STEPS_PER_CHARACTER * (glob.length + text.length);
  while (t < text.length) {
    if (--steps < 0) return compileGlob(glob).matches(text);
    if (glob[g] === "*") {
      star = g++;
      resume = t;
    } else if (g < glob.length && (glob[g] === "?" || glob[g] === text[t])) {
      g++;
      t++;
    } else if (star >= 0) {
      g = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (glob[g] === "*") g++;
  return g === glob.length;
}

interface BoundedGlob {
  readonly glob: string;
  matches(text: string): boolean;
}

let compiled: BoundedGlob | undefined;

/**
 * Compiles a glob for matching in bounded time. Caches the last glob, because one glob is matched against many texts in
 * a row.
 */
function compileGlob(glob: string): BoundedGlob {
  if (compiled?.glob !== glob)
    compiled = glob.includes("?") ? new GlobAutomaton(glob) : new LiteralGlob(glob);
  return compiled;
}

/** A glob without `?`. Finds the literals between the stars in order, which takes linear time. */
class LiteralGlob implements BoundedGlob {
  readonly #first: string;
  readonly #middle: readonly string[];
  /** Literal after the last star; `undefined` if the glob has no star. */
  readonly #last: string | undefined;

  constructor(readonly glob: string) {
    const [first = "", ...others] = glob.split("*");
    this.#first = first;
    this.#last = others.pop();
    this.#middle = others;
  }

  matches(text: string): boolean {
    if (this.#last === undefined) return text === this.#first;
    if (!text.startsWith(this.#first)) return false;
    let at = this.#first.length;
    for (const part of this.#middle) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return text.length - at >= this.#last.length && text.endsWith(this.#last);
  }
}

/**
 * A glob as an automaton that simulates all ways to match it simultaneously. State `n` is set if the first `n`
 * characters of the glob, not counting stars, match the text so far. States are stored as bits, so each character of
 * the text costs one step per 31 characters of the glob.
 */
class GlobAutomaton implements BoundedGlob {
  readonly #wordCount: number;
  /** States that are reachable with a character, by character code. */
  readonly #next = new Map<number, Int32Array>();
  /** States that are reachable with any character (`?`). */
  readonly #nextOfAny: Int32Array;
  /** States that every character preserves, because a star follows them in the glob. */
  readonly #stays: Int32Array;
  readonly #end: number;

  constructor(readonly glob: string) {
    const characters = glob.replaceAll("*", "");
    this.#end = characters.length;
    this.#wordCount = Math.floor(this.#end / WORD_BITS) + 1;
    this.#nextOfAny = new Int32Array(this.#wordCount);
    this.#stays = new Int32Array(this.#wordCount);
    let state = 0;
    for (const character of glob.split("")) {
      if (character === "*") setBit(this.#stays, state);
      else if (character === "?") setBit(this.#nextOfAny, ++state);
      else setBit(this.#getNext(character.charCodeAt(0)), ++state);
    }
    for (const next of this.#next.values())
      for (const [word, states] of this.#nextOfAny.entries()) next[word] = (next[word] ?? 0) | states;
  }

  matches(text: string): boolean {
    const states = new Int32Array(this.#wordCount);
    setBit(states, 0);
    for (let at = 0; at < text.length; at++) this.#advance(states, text.charCodeAt(at));
    return hasBit(states, this.#end);
  }

  #advance(states: Int32Array, character: number): void {
    const next = this.#next.get(character) ?? this.#nextOfAny;
    let carry = 0;
    for (let word = 0; word < this.#wordCount; word++) {
      const before = states[word] ?? 0;
      const shifted = ((before << 1) & 0x7fffffff) | carry;
      carry = (before >>> (WORD_BITS - 1)) & 1;
      const stays = before & (this.#stays[word] ?? 0);
      states[word] = (shifted & (next[word] ?? 0)) | stays;
    }
  }

  #getNext(character: number): Int32Array {
    const known = this.#next.get(character);
    if (known !== undefined) return known;
    const states = new Int32Array(this.#wordCount);
    this.#next.set(character, states);
    return states;
  }
}

function setBit(words: Int32Array, bit: number): void {
  const word = Math.floor(bit / WORD_BITS);
  words[word] = (words[word] ?? 0) | (1 << (bit % WORD_BITS));
}

function hasBit(words: Int32Array, bit: number): boolean {
  return (((words[Math.floor(bit / WORD_BITS)] ?? 0) >>> (bit % WORD_BITS)) & 1) === 1;
}
