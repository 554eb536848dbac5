import type { Key } from "../../lib/contract/key.ts";
import { fieldsOfKey } from "../../lib/contract/key.ts";
import type { Holder, Lock, Waiters } from "../../lib/contract/lock.ts";
import type { HeldObservation, SeenHolder, SeenVotes } from "../formats/observation.ts";
import { releaseTermsOf } from "../formats/release-terms.ts";
import type { Renewals } from "./renewals.ts";
import { type Judgement, verdictOf } from "./verdict.ts";
import { holderVersionOf, versionOf } from "./version.ts";

/** One holder in the picture. */
export interface HeldBy {
  readonly seen: SeenHolder;
  /** Rises with every new hold of any key; names this one while its owner string recurs. */
  readonly epoch: number;
  /** When we first saw it, Redis's clock. */
  readonly firstSeenMs: number;
  readonly since: "exact" | "at_least";
  /** How often somebody left a shared lock and may have been this one, who then came back. */
  readonly doubts: number;
}

/** A held lock in the picture: what was last read, and what only watching can know. */
export interface Hold {
  readonly key: Key;
  readonly seen: HeldObservation;
  /** Those of `seen`, in its order. */
  readonly holders: readonly [HeldBy, ...HeldBy[]];
  /** The stretch of time without a break in what we heard, in which it was last looked at. */
  readonly sight: string;
  /** When the lock ends, Redis's clock, null: never. Looks that differ by no more than clocks do leave it as it is. */
  readonly endsAtMs: number | null;
  /** The longest time to live seen of this hold. */
  readonly longestMs: number | null;
  readonly renewals: Renewals;
  /** As of the last look. */
  readonly judgement: Judgement;
}

export function sinceOf({ seen, firstSeenMs, since }: HeldBy): Pick<Holder, "sinceIs"> & { since: number } {
  if (seen.sinceMs === null) return { since: firstSeenMs, sinceIs: since };
  return { since: seen.sinceMs, sinceIs: seen.sinceIs ?? "exact" };
}

/** What is left to one holder at the look: its own time where holders end one by one, else the lock's. */
function remainingOf({ seen }: Hold, holder: HeldBy): number | null {
  return holder.seen.ownRemainingMs === undefined ? seen.remainingMs : holder.seen.ownRemainingMs;
}

/** When one holder's time ends, Redis's clock; null: never. */
export function endOf(hold: Hold, holder: HeldBy): number | null {
  const remainingMs = remainingOf(hold, holder);
  return remainingMs === null ? null : hold.seen.asOf + remainingMs;
}

export function leaseOf({ seen, longestMs }: Hold): number | null {
  return seen.holders[0].leaseMs ?? longestMs;
}

/** A hold as the contract gives it. */
export function lockOf(target: string, hold: Hold, sharedWith: readonly Key[]): Lock {
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
    holders: hold.holders.map((holder) => holderOf(hold, holder)),
    ...(seen.permits === undefined ? {} : { permits: seen.permits }),
    ...(seen.lastFence === undefined ? {} : { lastFence: seen.lastFence }),
    remainingMs: seen.remainingMs,
    leaseMs: leaseOf(hold),
    waiters: seen.waiters ?? NOBODY_SEEN,
    ...votesOf(seen.votes),
    verdict: verdictOf(hold),
    sharedWith: sharedWith.map(fieldsOfKey),
    release: releaseTermsOf(seen),
    version: versionOf(hold),
    asOf: seen.asOf,
  };
}

function holderOf(hold: Hold, holder: HeldBy): Holder {
  const { owner, role, count, fence, record, marginMs } = holder.seen;
  const remainingMs = remainingOf(hold, holder);
  const { key: text, keyBase64 } = fieldsOfKey(owner);
  return {
    owner: text,
    ...(keyBase64 === undefined ? {} : { ownerBase64: keyBase64 }),
    ...(role === undefined ? {} : { role }),
    count,
    fence,
    ...(record === undefined ? {} : { record }),
    ...sinceOf(holder),
    remainingMs: remainingMs === null ? null : Math.max(0, remainingMs - marginMs),
    version: holderVersionOf(hold, holder),
  };
}

function votesOf(votes: SeenVotes | undefined): Pick<Lock, "votes"> {
  if (votes === undefined) return {};
  const owners = votes.owners.map(({ owner, masters }) => {
    const { key: text, keyBase64 } = fieldsOfKey(owner);
    return { owner: text, ...(keyBase64 === undefined ? {} : { ownerBase64: keyBase64 }), masters };
  });
  return { votes: { ...votes, owners } };
}

const NOBODY_SEEN: Waiters = { count: null, known: "unknowable" };

export function freeLock(
  target: string,
  key: Key,
  asOf: number,
  waiters: Waiters = NOBODY_SEEN,
  votes?: SeenVotes,
): Lock {
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
    ...votesOf(votes),
    verdict: null,
    sharedWith: [],
    release: null,
    version: null,
    asOf,
  };
}
