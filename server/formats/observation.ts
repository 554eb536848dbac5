import type { Confidence, FormatName, LockKind, TimestampUnit } from "../../lib/contract/format.ts";
import type { UnreadableReason } from "../../lib/contract/live.ts";
import type { OwnerRecord } from "../../lib/contract/lock.ts";
import type { Key } from "../../lib/keys/key.ts";

export const LOCK_TYPES = ["string", "hash", "set", "zset"] as const;
/** What a lock may be in Redis. */
export type LockType = (typeof LOCK_TYPES)[number];

/** The interval of a client's renewals, and the lease that it was stated with. */
export interface StatedRenewal {
  readonly everyMs: number;
  readonly ofLeaseMs: number;
}

/** One holder as Redis tells it. Facts of our companion are present only while they belong to this hold. */
export interface SeenHolder {
  /** What the lock stores of the holder, and what identifies it: our token, or the owner of another library. */
  readonly token: Key;
  /** Whom people know it by: the label of a hold of ours, else the token. Bytes that are not UTF-8 are kept. */
  readonly owner: Key;
  readonly role?: "read" | "write";
  readonly count: number;
  readonly fence: string | null;
  /** When it began: told by our companion, or carried in the owner string (then `sinceIs` says so). */
  readonly sinceMs: number | null;
  readonly sinceIs?: "reported";
  readonly leaseMs: number | null;
  /** What its deadline is written in; of a `timestamp` hold of ours alone. */
  readonly unit?: TimestampUnit;
  readonly record: OwnerRecord | undefined;
  /** By how much its own end comes before the lock's: the grace, and what a deadline is rounded by. */
  readonly marginMs: number;
  /** Time left of its own where holders end one by one; null: no expiry. Undefined: the lock's. */
  readonly ownRemainingMs?: number | null;
  /** What it has in the key, where that is more or something else than its owner; compared when it is freed. */
  readonly stored?: readonly Key[];
  /** How often its client renews it, as stated when it was acquired: of a hold of ours alone. */
  readonly statedRenewal?: StatedRenewal;
  /** The API principal that acquired it; of a hold acquired through the API alone. */
  readonly principal?: string;
  /** Number of our last change to this hold; 0 for a foreign one. */
  readonly seq: number;
  /** The owner strings of one hold that differ per master, in the order of the masters: Redisson's RedLock. */
  readonly ownersPerMaster?: readonly Key[];
  /** As a majority of a quorum has it: what a script says of it is the word of one master. */
  readonly isVoted?: true;
}

export interface SeenWaiters {
  readonly count: number | null;
  readonly known: "exact" | "estimated" | "unknown";
}

export type VoteAgreement = "same_owner" | "owner_per_master" | "different_owners" | "none";

/** How the masters of a quorum vote on a key. */
export interface SeenVotes {
  readonly of: number;
  /** How many of them are known: the others are away, or were not looked at yet. */
  readonly known: number;
  /** `undecided`: those that are not known may decide otherwise, so it is shown as it was decided last. */
  readonly state: "decided" | "undecided";
  /**
   * `same_owner`: a majority has one owner string. `owner_per_master`: a majority has one lock whose owner string
   * differs per master. `different_owners`: a majority is taken, and nobody is known to have one. `none`: free.
   */
  readonly agreement: VoteAgreement;
  /** Most votes first. */
  readonly owners: readonly { readonly owner: Key; readonly masters: number }[];
}

/** What a look recognised, whatever it was about. */
export interface DetectedLock {
  readonly format: FormatName;
  /** What else it may be. */
  readonly candidates: readonly FormatName[];
  readonly kind: LockKind;
  readonly confidence: Confidence;
  /** The owner is none that its library draws: an app chose it, and may take the lock by it again. */
  readonly isChosen?: true;
  readonly holders: readonly [SeenHolder, ...SeenHolder[]];
  /** null: no expiry. 0 or less: it has ended and is still there. */
  readonly remainingMs: number | null;
  readonly permits?: { readonly available: number; readonly total: number | null };
  /** Of a fenced lock of Redisson: the last fence that was given out, which is its holder's. */
  readonly lastFence?: string;
  /** Undefined: nobody who waits can be seen, apart from ours. */
  readonly waiters?: SeenWaiters;
  /** Of a quorum. */
  readonly votes?: SeenVotes;
}

/** What one look at a key showed. */
export type Observation = FreeObservation | UnreadableObservation | NotALockObservation | HeldObservation;

/** Redis has the key, or may have it, and did not return it. */
export interface UnreadableObservation {
  readonly state: "unreadable";
  readonly key: Key;
  readonly reason: UnreadableReason;
  /** One sentence without a full stop: the error of Redis, or what is missing. */
  readonly why: string;
}

export interface FreeObservation {
  readonly state: "free";
  readonly key: Key;
  readonly asOf: number;
  readonly waiters?: SeenWaiters;
  /** Of a quorum: votes that make no majority. */
  readonly votes?: SeenVotes;
}

export interface NotALockObservation {
  readonly state: "not_a_lock";
  readonly key: Key;
  readonly asOf: number;
  readonly type: string;
  /** It is larger than a lock can be. */
  readonly unread?: {
    readonly size: number;
    readonly most: number;
    readonly of: "bytes" | "bytes_of_one_element" | "fields" | "members";
  };
}

/** `ended`: its deadline has passed; it is still there, and free to take. */
export interface HeldObservation extends DetectedLock {
  readonly state: "held" | "ended";
  readonly key: Key;
  readonly type: LockType;
  readonly asOf: number;
}

/** What a look showed that Redis answered. */
export type ReadableObservation = Exclude<Observation, { state: "unreadable" }>;

/** A foreign holder of which nothing is known but what the lock stores of it. */
export function createForeignHolder(token: Key, known: Partial<SeenHolder> = {}): SeenHolder {
  return {
    token,
    owner: token,
    count: 1,
    fence: null,
    sinceMs: null,
    leaseMs: null,
    record: undefined,
    marginMs: 0,
    seq: 0,
    ...known,
  };
}
