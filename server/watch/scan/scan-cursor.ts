import type { Redis } from "ioredis";
import { decodeKey, type Key } from "../../../lib/keys/key.ts";
import { isAuxiliaryKey } from "../../formats/keys.ts";
import { isReplyError } from "../../redis/failure.ts";
import { Glob, matchesAny, removeCovered } from "../../redis/glob.ts";
import { isOversizedKey } from "./oversized-keys.ts";

/** From here on one pass without MATCH, matched by us, beats a pass for each pattern. */
const PATTERNS_FOR_SINGLE_PASS = 3;
const COUNT_FIRST = 1000;
const COUNT_MIN = 250;
const COUNT_MAX = 10_000;
/** A page with more bytes of key names makes the next ones smaller, down to single keys. */
const PAGE_BYTES_MAX = 4 * 1024 * 1024;
/** Of a longer name only the beginning is compared with the patterns. */
const MATCHED_BYTES_MAX = 64 * 1024;
/** One call keeps Redis from everybody else for so long at most. */
const CALL_MS_MAX = 5;
/** Where the way there and back costs little, calls are kept short: another client waits for one of them. */
const CALL_MS = 2;
const CALLS_TO_JUDGE_BY = 4;

interface ScanPage {
  readonly cursor: string;
  readonly found: readonly Buffer[];
  readonly count: number;
  readonly tookMs: number;
}

/**
 * One walk through the keys of a master, which gives those that match, page by page. It can be broken off and gone on
 * with later, on the same run of the server: its cursor is kept. A key may come twice.
 */
export class ScanCursor {
  /** How many keys were gone through, over all its passes; as near as COUNT tells. */
  scanned = 0;
  readonly #globs: readonly Glob[];
  /** undefined: all keys, matched by us. */
  readonly #passes: readonly (string | undefined)[];
  #pass = 0;
  #cursor = "0";
  #count = COUNT_FIRST;
  #calls = 0;
  #shortestMs = Number.POSITIVE_INFINITY;
  /** The way there and back, without any work. */
  #roundTripMs = Number.POSITIVE_INFINITY;

  constructor(
    private readonly redis: Redis,
    patterns: readonly string[],
    /** Called for each key of the patterns whose name is too long for a lock. Such keys are left out. */
    private readonly onOversizedKey: (name: Uint8Array) => void = () => undefined,
  ) {
    const all = removeCovered(patterns);
    this.#globs = all.map((pattern) => new Glob(pattern));
    this.#passes = all.length >= PATTERNS_FOR_SINGLE_PASS ? [undefined] : all;
  }

  get passCount(): number {
    return this.#passes.length;
  }

  /**
   * @param given each: also pages on which nothing matches, empty, so that a walk can be ended whatever it finds
   * @throws when the signal ends it or Redis does not answer; what was given is not given again afterwards
   */
  async *readPages(signal: AbortSignal, given: "matching" | "each" = "matching"): AsyncGenerator<Key[]> {
    await this.#measureRoundTrip();
    for (; this.#pass < this.#passes.length; this.#pass++) {
      const pattern = this.#passes[this.#pass];
      let coming = this.#readPage(pattern);
      for (let isOver = false; !isOver; ) {
        const page = await coming;
        signal.throwIfAborted();
        isOver = page.cursor === "0";
        this.#recordPage(page);
        this.#limitPageBytes(page);
        // Redis goes on while we look at what it found.
        if (!isOver) {
          coming = this.#readPage(pattern);
          coming.catch(() => undefined);
        }
        const keys = this.#filterKeys(page.found, pattern);
        if (keys.length > 0 || given === "each") yield keys;
      }
      this.#cursor = "0";
    }
  }

  #recordPage({ cursor, count, tookMs }: ScanPage): void {
    this.#cursor = cursor;
    this.scanned += count;
    // A call may have waited for what was sent before it, so the shortest of some tells how long they take.
    this.#shortestMs = Math.min(this.#shortestMs, tookMs);
    if (++this.#calls % CALLS_TO_JUDGE_BY !== 0) return;
    this.#count = this.#adjustCount(Math.max(0, this.#shortestMs - this.#roundTripMs));
    this.#shortestMs = Number.POSITIVE_INFINITY;
  }

  #adjustCount(workMs: number): number {
    // Far away, a call may take as long as its way: else the ways would take most of the time.
    const mostMs = Math.min(CALL_MS_MAX * 0.8, Math.max(CALL_MS, this.#roundTripMs));
    // Pages of long names may be smaller than the least that time alone makes them.
    const least = Math.min(COUNT_MIN, this.#count);
    if (workMs > CALL_MS_MAX) return Math.max(least, Math.floor(this.#count / 2));
    if (workMs > mostMs) return Math.max(least, Math.floor(this.#count * 0.8));
    return workMs < mostMs / 2 ? Math.min(COUNT_MAX, Math.ceil(this.#count * 1.5)) : this.#count;
  }

  #filterKeys(found: readonly Buffer[], pattern: string | undefined): Key[] {
    const keys: Key[] = [];
    for (const bytes of found) {
      if (isOversizedKey(bytes)) {
        if (pattern !== undefined || this.#matchesBeginning(bytes)) this.onOversizedKey(bytes);
        continue;
      }
      const key = decodeKey(bytes);
      if (!isAuxiliaryKey(key) && (pattern !== undefined || matchesAny(this.#globs, key))) keys.push(key);
    }
    return keys;
  }

  #matchesBeginning(name: Buffer): boolean {
    const beginning = name.subarray(0, MATCHED_BYTES_MAX);
    return this.#globs.some((glob) => glob.matchesBytes(beginning));
  }

  /** Redis holds the whole page in memory, and so do we: names may have megabytes each. */
  #limitPageBytes({ count, found }: ScanPage): void {
    const bytes = found.reduce((sum, { length }) => sum + length, 0);
    if (bytes > PAGE_BYTES_MAX) this.#count = Math.max(1, Math.floor((count * PAGE_BYTES_MAX) / bytes));
  }

  async #readPage(pattern: string | undefined): Promise<ScanPage> {
    const [cursor, count, sentAt] = [this.#cursor, this.#count, performance.now()];
    const [next, found] = await this.#scan(cursor, pattern, count);
    return { cursor: next.toString(), found, count, tookMs: performance.now() - sentAt };
  }

  async #scan(cursor: string, pattern: string | undefined, count: number): Promise<[Buffer, Buffer[]]> {
    try {
      return pattern === undefined
        ? await this.redis.scanBuffer(cursor, "COUNT", count)
        : await this.redis.scanBuffer(cursor, "MATCH", pattern, "COUNT", count);
    } catch (error) {
      // A page that is too large to arrive in time would be asked for again and again.
      this.#count = Math.max(1, Math.floor(count / 4));
      throw error;
    }
  }

  async #measureRoundTrip(): Promise<void> {
    for (let times = 3; times > 0; times--) {
      const sentAt = performance.now();
      // A reply is one, also a refusal: Redis that cannot save its data refuses even a PING (MISCONF).
      await this.redis.ping().catch(throwUnlessReply);
      this.#roundTripMs = Math.min(this.#roundTripMs, performance.now() - sentAt);
    }
  }
}

function throwUnlessReply(error: unknown): void {
  if (!isReplyError(error)) throw error;
}
