/** The number of steps per character of glob and text after which the bounded algorithm is used. */
const STEPS_PER_CHARACTER = 4;
const WORD_BITS = 31;

/**
 * Matches `text` against `glob`, in which `*` stands for any run of characters and `?` for one character.
 *
 * Two pointers with one backtracking point match nearly all texts in linear time. The worst case is quadratic (`*aaab`
 * on `aaaa…`), so after a number of steps an algorithm with bounded time takes over.
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

/** Compiles a glob, and caches the last one, because one glob is matched against many texts in a row. */
function compileGlob(glob: string): BoundedGlob {
  if (compiled?.glob !== glob)
    compiled = glob.includes("?") ? new GlobAutomaton(glob) : new LiteralGlob(glob);
  return compiled;
}

/** Finds the literals between the stars in order, which takes linear time. */
class LiteralGlob implements BoundedGlob {
  readonly #first: string;
  readonly #middle: readonly string[];
  /** The literal after the last star; `undefined` if the glob has no star. */
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
 * Simulates all ways to match a glob simultaneously. Bit `n` is set if the first `n` characters of the glob, not
 * counting stars, match the text so far. Each character of the text costs one step per 31 characters of the glob.
 */
class GlobAutomaton implements BoundedGlob {
  readonly #wordCount: number;
  /** The next states by character. */
  readonly #next = new Map<number, Int32Array>();
  /** The next states for any character (`?`). */
  readonly #nextOfAny: Int32Array;
  /** The states that a star preserves, whatever the next character is. */
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
