import { createForeignHolder, type SeenHolder } from "../observation.ts";
import { MEMBERS_MAX, type RawKey } from "../raw-key.ts";

const ID_BYTES = 16;
/** Score of a permit that never expires, as Redisson writes it. */
const NEVER = 922337203685477;

export interface Permits {
  readonly holders: readonly [SeenHolder, ...SeenHolder[]];
  readonly available: number;
  /**
   * Total number of permits; `null` if too many permits are acquired to read them, and for a plain semaphore, which
   * does not store its total.
   */
  readonly total: number | null;
  /** Longest remaining time of an acquired permit in ms; `null` if a permit never expires. */
  readonly remainingMs: number | null;
}

/**
 * Parses the acquired permits of an expirable semaphore or, for a plain semaphore, the permits of Lockkeeper's holds.
 * Returns `undefined` if there are no such permits, or if the key is not a semaphore.
 */
export function parsePermits({ content, permits, asOf, remainingMs, isPlain }: RawKey): Permits | undefined {
  const available = parseCounter(content[0]);
  if (available === undefined || permits.length === 0) return undefined;
  const all: SeenHolder[] = [];
  for (let at = 0; at < permits.length; at += 2) {
    const id = permits[at];
    const end = Number(permits[at + 1]?.toString());
    if (id?.length !== ID_BYTES || !(end > 0)) return undefined;
    const own = end >= NEVER ? null : end - asOf;
    const ownRemainingMs = remainingMs === null ? own : Math.min(own ?? remainingMs, remainingMs);
    all.push(createForeignHolder(id.toString("hex"), { ownRemainingMs }));
  }
  // An expired permit stays in the set until the next call of the library reclaims the permit.
  const held = all.filter(({ ownRemainingMs: left }) => left == null || left > 0);
  const [first, ...rest] = held.length > 0 ? held : all;
  if (first === undefined) return undefined;
  return {
    holders: [first, ...rest],
    available: available + (all.length - held.length),
    total: isPlain !== true && all.length < MEMBERS_MAX ? available + all.length : null,
    remainingMs: findLongestRemainingMs([first, ...rest]),
  };
}

export function findLongestRemainingMs(holders: readonly SeenHolder[]): number | null {
  let longestMs = Number.NEGATIVE_INFINITY;
  for (const { ownRemainingMs } of holders) {
    if (ownRemainingMs == null) return null;
    longestMs = Math.max(longestMs, ownRemainingMs);
  }
  return longestMs;
}

/**
 * Parses the number in a semaphore or latch, which can be negative. Returns `undefined` if the value is not an integer
 * of at most ten digits without leading zeros.
 */
export function parseCounter(bytes: Buffer | undefined): number | undefined {
  const text = bytes?.toString("latin1") ?? "";
  return /^(0|-?[1-9]\d{0,9})$/.test(text) ? Number(text) : undefined;
}
