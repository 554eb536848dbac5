import type { Key } from "../../../lib/keys/key.ts";

export type SortValue = string | number;

/**
 * The position of an entry in a sorted list. When used as a cursor, the position of the last entry on the previous
 * page.
 */
export type SortPosition = readonly [value: SortValue, key: Key];

/**
 * Sort direction of the values: ascending (1) or descending (-1). Keys with equal values are always in ascending order.
 */
export type SortDirection = 1 | -1;

function comparePositions(
  a: SortValue,
  keyA: Key,
  b: SortValue,
  keyB: Key,
  direction: SortDirection,
): number {
  if (a !== b) return (a < b ? -1 : 1) * direction;
  return keyA < keyB ? -1 : keyA > keyB ? 1 : 0;
}

export interface KeySlice {
  readonly keys: readonly Key[];
  /** Position of the last key, or `undefined` if no more keys follow. */
  readonly next: SortPosition | undefined;
}

/** A part of the list. Parallel arrays of values and keys take 16 bytes per key and store numbers unboxed. */
interface Chunk {
  readonly values: SortValue[];
  readonly keys: Key[];
}

const CHUNK_MAX = 512;

/**
 * A list of keys sorted by value, stored in chunks. A change requires a binary search and a shift within one
 * chunk. Finding the page at an offset requires an iteration over the chunk lengths (about 3 µs for a million keys).
 */
export class SortedKeys {
  readonly #chunks: Chunk[] = [];
  #size = 0;

  constructor(private readonly direction: SortDirection) {}

  /**
   * Builds a sorted list.
   *
   * @param values one value per key
   * @param keys in any order, without duplicates
   */
  static from(direction: SortDirection, values: readonly SortValue[], keys: readonly Key[]): SortedKeys {
    const order = Uint32Array.from(keys.keys()).sort((a, b) =>
      comparePositions(values[a] ?? 0, keys[a] ?? "", values[b] ?? 0, keys[b] ?? "", direction),
    );
    const sorted = new SortedKeys(direction);
    const half = CHUNK_MAX / 2;
    for (let at = 0; at < order.length; at += half) {
      const these = [...order.subarray(at, at + half)];
      sorted.#chunks.push({
        values: these.map((index) => values[index] ?? 0),
        keys: these.map((index) => keys[index] ?? ""),
      });
    }
    sorted.#size = keys.length;
    return sorted;
  }

  get size(): number {
    return this.#size;
  }

  get first(): SortPosition | undefined {
    const [chunk] = this.#chunks;
    const [value, key] = [chunk?.values[0], chunk?.keys[0]];
    return value === undefined || key === undefined ? undefined : [value, key];
  }

  insert(value: SortValue, key: Key): void {
    this.#size++;
    const at = Math.min(this.#findChunk(value, key), Math.max(0, this.#chunks.length - 1));
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push({ values: [value], keys: [key] });
      return;
    }
    const index = this.#findIndex(chunk, value, key);
    chunk.values.splice(index, 0, value);
    chunk.keys.splice(index, 0, key);
    if (chunk.keys.length > CHUNK_MAX) this.#splitChunk(at, chunk);
  }

  /** Removes the entry with this value and key. @returns whether the entry existed */
  delete(value: SortValue, key: Key): boolean {
    const at = this.#findChunk(value, key);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return false;
    const index = this.#findIndex(chunk, value, key);
    if (chunk.keys[index] !== key || chunk.values[index] !== value) return false;
    chunk.values.splice(index, 1);
    chunk.keys.splice(index, 1);
    this.#size--;
    if (chunk.keys.length < CHUNK_MAX / 8) this.#mergeSmallChunk(at, chunk);
    return true;
  }

  /** Returns up to `limit` keys, starting at an offset. */
  slice(offset: number, limit: number): KeySlice {
    let index = offset;
    let at = 0;
    for (let chunk = this.#chunks[at]; chunk !== undefined && index >= chunk.keys.length; ) {
      index -= chunk.keys.length;
      chunk = this.#chunks[++at];
    }
    return this.#collect(at, index, limit);
  }

  /** Returns up to `limit` keys after a position. */
  sliceAfter([value, key]: SortPosition, limit: number): KeySlice {
    const at = this.#findChunk(value, key);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return { keys: [], next: undefined };
    const index = this.#findIndex(chunk, value, key);
    const exists = chunk.keys[index] === key && chunk.values[index] === value;
    return this.#collect(at, index + (exists ? 1 : 0), limit);
  }

  #collect(at: number, from: number, limit: number): KeySlice {
    const keys: Key[] = [];
    let last: SortPosition | undefined;
    let index = from;
    let chunk = this.#chunks[at];
    for (let next = at; chunk !== undefined; chunk = this.#chunks[++next], index = 0) {
      for (; index < chunk.keys.length; index++) {
        const [value, key] = [chunk.values[index], chunk.keys[index]];
        if (value === undefined || key === undefined) break;
        if (keys.length === limit) return { keys, next: last };
        keys.push(key);
        last = [value, key];
      }
    }
    return { keys, next: undefined };
  }

  /** Returns the index of the first chunk whose last entry is at or after this position. */
  #findChunk(value: SortValue, key: Key): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const chunk = this.#chunks[middle];
      if (chunk !== undefined && this.#isBefore(chunk, chunk.keys.length - 1, value, key)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the index of the first entry in the chunk that is at or after this position. */
  #findIndex(chunk: Chunk, value: SortValue, key: Key): number {
    let low = 0;
    let high = chunk.keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#isBefore(chunk, middle, value, key)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isBefore({ values, keys }: Chunk, index: number, value: SortValue, key: Key): boolean {
    const [there, thereKey] = [values[index], keys[index]];
    if (there === undefined || thereKey === undefined) return false;
    return comparePositions(there, thereKey, value, key, this.direction) < 0;
  }

  #splitChunk(at: number, { values, keys }: Chunk): void {
    const half = keys.length >> 1;
    this.#chunks.splice(at + 1, 0, { values: values.splice(half), keys: keys.splice(half) });
  }

  /** Limits the number of chunks: removes an empty chunk, or merges a small chunk with the next if they fit in one. */
  #mergeSmallChunk(at: number, { values, keys }: Chunk): void {
    if (keys.length === 0) {
      this.#chunks.splice(at, 1);
      return;
    }
    const next = this.#chunks[at + 1];
    if (next === undefined || next.keys.length + keys.length > CHUNK_MAX) return;
    values.push(...next.values);
    keys.push(...next.keys);
    this.#chunks.splice(at + 1, 1);
  }
}
