import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { decodeKey, type Key } from "../../../lib/keys/key.ts";
import { isAuxiliaryKey } from "../../formats/keys.ts";
import { isReplyError } from "../../redis/failure.ts";
import { Glob, matchesAny, removeCovered } from "../../redis/glob.ts";
import { CallSizes } from "./call-sizes.ts";
import { isOversizedKey } from "./oversized-keys.ts";

/** From here on one pass without MATCH, matched by us, beats a pass for each pattern. */
const PATTERNS_FOR_SINGLE_PASS = 3;
const COUNT_GROWTH = 1.25;
/** A page with more bytes of key names makes the next ones smaller, down to single keys. */
const PAGE_BYTES_MAX = 4 * 1024 * 1024;
/** Of a longer name only the beginning is compared with the patterns. */
const MATCHED_BYTES_MAX = 64 * 1024;
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
  /** So few keys have names that fit in a page. */
  #countMax = Number.MAX_SAFE_INTEGER;

  constructor(
    private readonly redis: Redis,
    patterns: readonly string[],
    /** Called for each key of the patterns whose name is too long for a lock. Such keys are left out. */
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
   * @param given each: also pages on which nothing matches, empty, so that a walk can be ended whatever it finds
   * @throws when the signal ends it or Redis does not answer; what was given is not given again afterwards
   */
  async *readPages(signal: AbortSignal, given: "matching" | "each" = "matching"): AsyncGenerator<Key[]> {
    await this.#measureRoundTrip();
    for (; this.#pass < this.#passes.length; this.#pass++) {
      const pattern = this.#passes[this.#pass];
      let coming = this.#readPage(pattern, signal);
      for (let isOver = false; !isOver; ) {
        const page = await coming;
        signal.throwIfAborted();
        isOver = page.cursor === "0";
        this.#recordPage(page);
        this.#limitPageBytes(page);
        // Redis goes on while we look at what it found.
        if (!isOver) {
          coming = this.#readPage(pattern, signal);
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

  /** Redis holds the whole page in memory, and so do we: names may have megabytes each. */
  #limitPageBytes({ count, found }: ScanPage): void {
    const bytes = found.reduce((sum, { length }) => sum + length, 0);
    if (bytes > PAGE_BYTES_MAX) this.#countMax = Math.max(1, Math.floor((count * PAGE_BYTES_MAX) / bytes));
    else if (bytes < PAGE_BYTES_MAX / 2) this.#countMax = Math.ceil(this.#countMax * COUNT_GROWTH);
  }

  async #readPage(pattern: string | undefined, signal: AbortSignal): Promise<ScanPage> {
    const restMs = this.sizes.scan.takeRestMs();
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
      // A page that is too large to arrive in time would be asked for again and again.
      this.#countMax = Math.max(1, Math.floor(count / 4));
      throw error;
    }
  }

  async #measureRoundTrip(): Promise<void> {
    let shortestMs = Number.POSITIVE_INFINITY;
    for (let times = 3; times > 0; times--) {
      const sentAt = performance.now();
      // A reply is one, also a refusal: Redis that cannot save its data refuses even a PING (MISCONF).
      await this.redis.ping().catch(throwUnlessReply);
      shortestMs = Math.min(shortestMs, performance.now() - sentAt);
    }
    this.sizes.setRoundTrip(shortestMs);
  }
}

function throwUnlessReply(error: unknown): void {
  if (!isReplyError(error)) throw error;
}
