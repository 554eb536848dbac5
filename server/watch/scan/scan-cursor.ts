import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { decodeKey, type Key } from "../../../lib/keys/key.ts";
import { isAuxiliaryKey } from "../../formats/keys.ts";
import { throwUnlessReply } from "../../redis/failure.ts";
import { Glob, matchesAny, removeCovered } from "../../redis/glob.ts";
import { CallSizes } from "./call-sizes.ts";
import { isOversizedKey } from "./oversized-keys.ts";

/** Minimum number of patterns at which one SCAN with local matching is faster than one SCAN per pattern. */
const PATTERNS_FOR_SINGLE_PASS = 3;
const COUNT_GROWTH = 1.25;
/**
 * Target maximum size, in bytes, of all key names on a page. After a larger page, the next pages request fewer keys,
 * down to single keys.
 */
const PAGE_BYTES_MAX = 4 * 1024 * 1024;
/** Number of leading bytes of an oversized name to match against the patterns. */
const MATCHED_BYTES_MAX = 64 * 1024;
interface ScanPage {
  readonly cursor: string;
  readonly found: readonly Buffer[];
  readonly count: number;
  readonly tookMs: number;
}

/**
 * An iteration over the matching keys of a master, page by page. An interrupted iteration keeps its cursor and can be
 * resumed in the same server run. A key may be returned more than once.
 */
export class ScanCursor {
  /** Number of keys scanned in all passes, estimated from COUNT. */
  scanned = 0;
  readonly #globs: readonly Glob[];
  /** Pattern of each pass. `undefined` for a pass over all keys, whose names are then matched locally. */
  readonly #passes: readonly (string | undefined)[];
  #pass = 0;
  #cursor = "0";
  /** Maximum COUNT. Lowered after a failed call and after a page whose names exceed `PAGE_BYTES_MAX`. */
  #countMax = Number.MAX_SAFE_INTEGER;

  constructor(
    private readonly redis: Redis,
    patterns: readonly string[],
    /** Called for each matching key whose name is too long for a lock. The iteration skips such keys. */
    private readonly onOversizedKey: (name: Uint8Array) => void = () => undefined,
    private readonly sizes = new CallSizes(),
  ) {
    const all = removeCovered(patterns);
    this.#globs = all.map((pattern) => new Glob(pattern));
    this.#passes = all.length >= PATTERNS_FOR_SINGLE_PASS ? [undefined] : all;
  }

  get passCount(): number {
    return this.#passes.length;
  }

  /**
   * Yields the matching keys of each page.
   *
   * @param given `each` also yields empty pages, so that the caller can stop after any page
   * @throws if the signal aborts the scan or Redis does not respond; a resumed scan does not repeat pages that were
   *   already yielded
   */
  async *readPages(signal: AbortSignal, given: "matching" | "each" = "matching"): AsyncGenerator<Key[]> {
    await this.#measureRoundTrip();
    for (; this.#pass < this.#passes.length; this.#pass++) {
      const pattern = this.#passes[this.#pass];
      let nextPage = this.#readPage(pattern, signal);
      for (let isOver = false; !isOver; ) {
        const page = await nextPage;
        signal.throwIfAborted();
        isOver = page.cursor === "0";
        this.#recordPage(page);
        this.#limitPageBytes(page);
        // Requests the next page before this page is processed, so that Redis and this process work in parallel.
        if (!isOver) {
          nextPage = this.#readPage(pattern, signal);
          nextPage.catch(() => undefined);
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
    this.sizes.scan.record(count, tookMs);
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

  /**
   * Limits the size of pages, because Redis and this process hold a whole page in memory, and a single name can be
   * several megabytes long.
   */
  #limitPageBytes({ count, found }: ScanPage): void {
    const bytes = found.reduce((sum, { length }) => sum + length, 0);
    if (bytes > PAGE_BYTES_MAX) this.#countMax = Math.max(1, Math.floor((count * PAGE_BYTES_MAX) / bytes));
    else if (bytes < PAGE_BYTES_MAX / 2) this.#countMax = Math.ceil(this.#countMax * COUNT_GROWTH);
  }

  async #readPage(pattern: string | undefined, signal: AbortSignal): Promise<ScanPage> {
    const restMs = this.sizes.scan.takePauseMs();
    if (restMs > 0) await sleep(restMs, undefined, { signal });
    const count = Math.min(this.sizes.scan.size, this.#countMax);
    const [cursor, sentAt] = [this.#cursor, performance.now()];
    const [next, found] = await this.#scan(cursor, pattern, count);
    return { cursor: next.toString(), found, count, tookMs: performance.now() - sentAt };
  }

  async #scan(cursor: string, pattern: string | undefined, count: number): Promise<[Buffer, Buffer[]]> {
    try {
      return pattern === undefined
        ? await this.redis.scanBuffer(cursor, "COUNT", count)
        : await this.redis.scanBuffer(cursor, "MATCH", pattern, "COUNT", count);
    } catch (error) {
      // Lowers COUNT. Otherwise, the scan would keep requesting a page that is too large to arrive before the timeout.
      this.#countMax = Math.max(1, Math.floor(count / 4));
      throw error;
    }
  }

  async #measureRoundTrip(): Promise<void> {
    let shortestMs = Number.POSITIVE_INFINITY;
    for (let times = 3; times > 0; times--) {
      const sentAt = performance.now();
      // An error reply also measures the round trip. Redis refuses even PING while it cannot save its data (MISCONF).
      await this.redis.ping().catch(throwUnlessReply);
      shortestMs = Math.min(shortestMs, performance.now() - sentAt);
    }
    this.sizes.setRoundTrip(shortestMs);
  }
}
