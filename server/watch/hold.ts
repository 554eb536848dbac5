import type { Key } from "../../lib/contract/key.ts";
import { fieldsOfKey } from "../../lib/contract/key.ts";
import type { Lock } from "../../lib/contract/lock.ts";
import type { HeldObservation } from "../formats/observation.ts";
import { versionOf } from "./version.ts";

/** A held lock in the picture: what was last read, and what only watching can know. */
export interface Hold {
  readonly key: Key;
  readonly seen: HeldObservation;
  /** Rises with every new hold of any key; names this one while its owner string recurs. */
  readonly epoch: number;
  /** When we first saw it, Redis's clock. */
  readonly firstSeenMs: number;
  readonly since: "exact" | "at_least";
  /** The stretch of time without a break in what we heard, in which it was last looked at. */
  readonly sight: string;
  /** The longest time to live seen of this hold. */
  readonly longestMs: number | null;
}

/** Whether two looks show one hold, as far as Redis alone can tell. */
export function isSameHold(a: HeldObservation, b: HeldObservation): boolean {
  const [one] = a.holders;
  const [two] = b.holders;
  return one.owner === two.owner && one.fence === two.fence && a.holders.length === b.holders.length;
}

export function sinceOf(hold: Hold): { since: number; sinceIs: "exact" | "at_least" } {
  const told = hold.seen.holders[0].sinceMs;
  return told === null ? { since: hold.firstSeenMs, sinceIs: hold.since } : { since: told, sinceIs: "exact" };
}

function leaseOf(hold: Hold): number | null {
  return hold.seen.holders[0].leaseMs ?? hold.longestMs;
}

/** A hold as the contract gives it. */
export function lockOf(target: string, hold: Hold): Lock {
  const { seen } = hold;
  return {
    target,
    ...fieldsOfKey(hold.key),
    format: seen.format,
    kind: seen.kind,
    confidence: seen.confidence,
    holders: seen.holders.map(({ owner, count, fence, record, marginMs }) => ({
      owner,
      count,
      fence,
      ...(record === undefined ? {} : { record }),
      ...sinceOf(hold),
      remainingMs: seen.remainingMs === null ? null : Math.max(0, seen.remainingMs - marginMs),
    })),
    remainingMs: seen.remainingMs,
    leaseMs: leaseOf(hold),
    version: versionOf(hold),
    asOf: seen.asOf,
  };
}

export function freeLock(target: string, key: Key, asOf: number): Lock {
  return {
    target,
    ...fieldsOfKey(key),
    format: null,
    kind: null,
    confidence: null,
    holders: [],
    remainingMs: null,
    leaseMs: null,
    version: null,
    asOf,
  };
}
