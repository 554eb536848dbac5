import type {
  Confidence,
  FormatName,
  LockKind,
  TimestampUnit,
  WritableKind,
} from "../../lib/contract/format.ts";
import type { ReleaseRequest } from "../../lib/contract/holds/release-request.ts";
import type { OwnerRecord, UnreadableReason } from "../../lib/contract/lock.ts";
import type { Key } from "../../lib/keys/key.ts";

export const LOCK_TYPES = ["string", "hash", "set", "zset"] as const;
/** The Redis types that can store a lock. */
export type LockType = (typeof LOCK_TYPES)[number];

/** The renewal interval that a client stated, and the lease at that time. */
export interface StatedRenewal {
  readonly everyMs: number;
  readonly ofLeaseMs: number;
}

/** A holder as stored in Redis, with companion fields only if the companion describes this hold. */
export interface SeenHolder {
  /**
   * The string in the lock that identifies the holder: the token of a Lockkeeper hold, or the owner string of another
   * library.
   */
  readonly token: Key;
  /** The name to display: the label of a Lockkeeper hold, otherwise the token. May contain bytes that are not UTF-8. */
  readonly owner: Key;
  readonly role?: "read" | "write";
  readonly count: number;
  readonly fence: string | null;
  /**
   * When the hold began, in Unix ms. `null` if not stored. The time is from Lockkeeper's companion or, if `sinceIs` is
   * set, from the data that the library stores.
   */
  readonly sinceMs: number | null;
  readonly sinceIs?: "reported";
  readonly leaseMs: number | null;
  /** The unit of the deadline; only for Lockkeeper's `timestamp` holds. */
  readonly unit?: TimestampUnit;
  /** The kind of a Lockkeeper hold in Redisson's format, if it is not `lock`. */
  readonly kind?: WritableKind;
  readonly record: OwnerRecord | undefined;
  /**
   * Time, in ms, from the end of the lease to the end of the lock: the grace period plus the rounding of a deadline.
   */
  readonly marginMs: number;
  /**
   * The holder's remaining time in ms if holders expire separately; `null` if the holder has no TTL. `undefined` if the
   * holder expires with the lock.
   */
  readonly ownRemainingMs?: number | null;
  /**
   * The members, or the value of the hash field, that the key stores for this holder. A release compares all of them.
   * `undefined` if a release compares only the token.
   */
  readonly stored?: readonly Key[];
  /** The renewal interval that the client stated; only for a Lockkeeper hold. */
  readonly statedRenewal?: StatedRenewal;
  /** Set if the client reads release requests; only for a Lockkeeper hold. */
  readonly receivesReleaseRequests?: true;
  /** The last request to release the hold; only for a Lockkeeper hold. */
  readonly releaseRequested?: ReleaseRequest;
  /** The API principal that acquired the hold; only for a hold acquired through the API. */
  readonly principal?: string;
  /** Sequence number of Lockkeeper's last change to this hold; 0 for a foreign hold. */
  readonly seq: number;
  /** The owner string on each master that has the hold, in the order of the masters; only for Redisson's RedLock. */
  readonly ownersPerMaster?: readonly Key[];
  /**
   * Set if the fields have the values that a majority of a quorum agrees on. Script events contain the values of a
   * single master.
   */
  readonly isVoted?: true;
}

export interface SeenWaiters {
  readonly count: number | null;
  readonly known: "exact" | "estimated" | "unknown";
}

export type VoteAgreement = "same_owner" | "owner_per_master" | "different_owners" | "none";

/** The votes of a quorum's masters on the holder of a key. */
export interface SeenVotes {
  readonly of: number;
  /** Number of masters whose vote is known. The others are unreachable or were not read yet. */
  readonly known: number;
  /** `undecided`: unknown votes can still change the result, so the observation shows the last decision. */
  readonly state: "decided" | "undecided";
  /**
   * `same_owner`: a majority of the masters has the same owner string. `owner_per_master`: a majority has the same
   * hold, but the owner string differs per master. `different_owners`: a majority has a lock, but no single owner is
   * known to have a majority. `none`: the key is free, or the votes are undecided.
   */
  readonly agreement: VoteAgreement;
  /** The owners, each with the number of masters that voted for it, most votes first. */
  readonly owners: readonly { readonly owner: Key; readonly masters: number }[];
}

/** The lock in a key, as detected from the content of the key. */
export interface DetectedLock {
  readonly format: FormatName;
  /** Other libraries that write the same content. */
  readonly candidates: readonly FormatName[];
  readonly kind: LockKind;
  readonly confidence: Confidence;
  /** Set if the application chose the owner string. A later hold can then have the same owner. */
  readonly isChosen?: true;
  readonly holders: readonly [SeenHolder, ...SeenHolder[]];
  /** Remaining time in ms; `null` if there is no TTL. 0 or less: the lock has ended but its key still exists. */
  readonly remainingMs: number | null;
  readonly permits?: { readonly available: number; readonly total: number | null };
  /** Set for a plain Redisson semaphore, for which only the permits of Lockkeeper's holds are known. */
  readonly isPlain?: true;
  /** The last issued fencing token, which belongs to the current holder; only for a fenced Redisson lock. */
  readonly lastFence?: string;
  /** `undefined` if waiters of the library are not visible and no Lockkeeper client is waiting. */
  readonly waiters?: SeenWaiters;
  /** The votes of the masters; only for a quorum. */
  readonly votes?: SeenVotes;
}

/** The result of one read of a key. */
export type Observation = FreeObservation | UnreadableObservation | NotALockObservation | HeldObservation;

/** A key that exists or may exist, but could not be read. */
export interface UnreadableObservation {
  readonly state: "unreadable";
  readonly key: Key;
  readonly reason: UnreadableReason;
  /** One sentence without a period: the Redis error, or the missing permission. */
  readonly why: string;
}

export interface FreeObservation {
  readonly state: "free";
  readonly key: Key;
  readonly asOf: number;
  readonly waiters?: SeenWaiters;
  /** The votes of the masters; only for a quorum. */
  readonly votes?: SeenVotes;
}

export interface NotALockObservation {
  readonly state: "not_a_lock";
  readonly key: Key;
  readonly asOf: number;
  readonly type: string;
  /** Set if the key was not read because it exceeds the size limit for locks. */
  readonly unread?: {
    readonly size: number;
    readonly most: number;
    readonly of: "bytes" | "bytes_of_one_element" | "fields" | "members";
  };
}

/**
 * A key that contains a lock. `ended`: the lock has expired and can be acquired, but the key still exists.
 */
export interface HeldObservation extends DetectedLock {
  readonly state: "held" | "ended";
  readonly key: Key;
  readonly type: LockType;
  readonly asOf: number;
}

/** An observation of a key that could be read. */
export type ReadableObservation = Exclude<Observation, { state: "unreadable" }>;

/** Creates a holder that acquired the lock without Lockkeeper. `token` is the owner string in the lock. */
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
