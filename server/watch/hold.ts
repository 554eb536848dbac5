import type { Key } from "../../lib/contract/key.ts";
import { fieldsOfKey } from "../../lib/contract/key.ts";
import type { Holder, Lock, Waiters } from "../../lib/contract/lock.ts";
import type { HeldObservation, SeenHolder } from "../formats/observation.ts";
import { releaseTermsOf } from "../formats/release-terms.ts";
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
    state: seen.state,
    type: seen.type,
    format: seen.format,
    candidates: [...seen.candidates],
    kind: seen.kind,
    confidence: seen.confidence,
    holders: seen.holders.map((holder) => holderOf(hold, holder)),
    ...(seen.permits === undefined ? {} : { permits: seen.permits }),
    remainingMs: seen.remainingMs,
    leaseMs: leaseOf(hold),
    waiters: seen.waiters ?? NOBODY_SEEN,
    verdict: null,
    sharedWith: [],
    release: releaseTermsOf(seen),
    version: versionOf(hold),
    asOf: seen.asOf,
  };
}

function holderOf(hold: Hold, seen: SeenHolder): Holder {
  const { owner, role, count, fence, record, marginMs, ownRemainingMs } = seen;
  const remainingMs = ownRemainingMs === undefined ? hold.seen.remainingMs : ownRemainingMs;
  const { key: text, keyBase64 } = fieldsOfKey(owner);
  return {
    owner: text,
    ...(keyBase64 === undefined ? {} : { ownerBase64: keyBase64 }),
    ...(role === undefined ? {} : { role }),
    count,
    fence,
    ...(record === undefined ? {} : { record }),
    ...sinceOf(hold),
    remainingMs: remainingMs === null ? null : Math.max(0, remainingMs - marginMs),
    version: versionOf(hold),
  };
}

const NOBODY_SEEN: Waiters = { count: null, known: "unknowable" };

export function freeLock(target: string, key: Key, asOf: number, waiters: Waiters = NOBODY_SEEN): Lock {
  return {
    target,
    ...fieldsOfKey(key),
    state: "free",
    type: null,
    format: null,
    candidates: [],
    kind: null,
    confidence: null,
    holders: [],
    remainingMs: null,
    leaseMs: null,
    waiters,
    verdict: null,
    sharedWith: [],
    release: null,
    version: null,
    asOf,
  };
}
