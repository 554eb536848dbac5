import { isSharedKind, type LockKind, type WritableKind } from "../../lib/contract/format.ts";
import type { Key } from "../../lib/keys/key.ts";
import { Deadlines } from "../watch/scan/deadlines.ts";

/** The number of live holds of one principal, and the memory that these holds use in Redis. */
export interface HoldUsage {
  readonly holds: number;
  /** Estimated memory in Redis, in bytes; see `estimateHoldBytes`. */
  readonly bytes: number;
}

export interface LedgerHold {
  readonly principal: string;
  readonly bytes: number;
  /** Time in ms until the hold expires without renewal; `null` if it has no TTL. */
  readonly remainingMs: number | null;
}

/** A reference to a hold: its key and kind, and its token if holds of this kind share a key. */
export interface LedgerRef {
  readonly key: Key;
  readonly kind?: LockKind | WritableKind | undefined;
  readonly token?: string | undefined;
}

/**
 * Returns the name under which a hold is recorded: its key, or the key and the token if holds of its kind share a key.
 */
export function toLedgerKey({ key, kind, token }: LedgerRef): Key {
  return isSharedKind(kind) ? `${key}\0${token ?? ""}` : key;
}

/**
 * Maximum delay of observations, in ms. For this long after a grant or release by this instance, an observation may
 * still show the earlier state, unless its read is known to have been sent later.
 */
export const OBSERVED_WITHIN_MS = 5000;

const NO_USAGE: HoldUsage = { holds: 0, bytes: 0 };

interface Entry extends Pick<LedgerHold, "principal" | "bytes"> {
  /** The key that the hold shares with other holds; `undefined` if it does not share its key. */
  readonly sharedKey: Key | undefined;
  /** Token of the hold, if known. */
  token: string | undefined;
  /**
   * Time on the clock `now` at which this instance granted the hold. `-Infinity` if the hold was observed: any later
   * observation without the hold then removes it.
   */
  grantedAt: number;
}

/**
 * Counts the live holds of each principal across all targets.
 *
 * Expired holds are removed, so keys that are never read again do not accumulate. Recording or forgetting one hold
 * takes constant time, apart from updating the deadline heap.
 */
export class HoldLedger {
  readonly #usages = new Map<string, HoldUsage>();
  readonly #holdsByTarget = new Map<string, TargetHolds>();

  /** @param now returns the current time of a monotonic clock, in ms */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Records a hold that this instance granted. Replaces the recorded hold of the key, unless the new hold is of a kind
   * whose holds share a key.
   */
  record(target: string, ref: LedgerRef, hold: LedgerHold): void {
    this.#set(this.#getTargetHolds(target), ref, hold, this.now());
  }

  /**
   * Records a hold that was read from Redis, like `record`. Has no effect if the observation may be older than the
   * grant of another hold of the key.
   *
   * @param readAt time on the clock `now` at which the read was sent; `undefined` if unknown
   */
  recordObserved(target: string, ref: LedgerRef, hold: LedgerHold, readAt?: number): void {
    const holds = this.#getTargetHolds(target);
    const name = toLedgerKey(ref);
    const before = holds.entries.get(name);
    const isOther =
      before !== undefined && (before.principal !== hold.principal || hasOtherToken(before, ref));
    if (isOther && this.#keepRecent(holds, name, before, readAt)) return;
    this.#set(holds, ref, hold, Number.NEGATIVE_INFINITY);
  }

  /**
   * Extends the deadline of a hold to `remainingMs` milliseconds from now. Does nothing if the deadline is already
   * later, or if the hold has no TTL or is not recorded.
   */
  extend(target: string, ref: LedgerRef, remainingMs: number): void {
    const holds = this.#holdsByTarget.get(target);
    const name = toLedgerKey(ref);
    const before = holds?.deadlines.find(name);
    if (before !== undefined) holds?.deadlines.set(name, Math.max(before, this.now() + remainingMs));
  }

  /** Replaces a hold with another hold of the same principal. Does nothing if `before` is not recorded. */
  replace(target: string, before: LedgerRef, after: LedgerRef, remainingMs: number): void {
    const entry = this.#holdsByTarget.get(target)?.entries.get(toLedgerKey(before));
    if (entry === undefined || hasOtherToken(entry, before)) return;
    this.forget(target, before);
    this.record(target, after, { principal: entry.principal, bytes: entry.bytes, remainingMs });
  }

  /**
   * Removes a hold and subtracts it from the usage of its principal. Does nothing if another hold of the key is
   * recorded: its grant can be reported before the release that made it possible.
   */
  forget(target: string, ref: LedgerRef): void {
    const holds = this.#holdsByTarget.get(target);
    const entry = holds?.entries.get(toLedgerKey(ref));
    if (holds === undefined || entry === undefined || hasOtherToken(entry, ref)) return;
    this.#remove(holds, toLedgerKey(ref), entry);
  }

  /**
   * Removes a hold that an observation of its key did not show, unless the observation may be older than its grant.
   *
   * @param readAt time on the clock `now` at which the read was sent; `undefined` if unknown
   */
  forgetUnobserved(target: string, ref: LedgerRef, readAt?: number): void {
    const holds = this.#holdsByTarget.get(target);
    const name = toLedgerKey(ref);
    const entry = holds?.entries.get(name);
    if (holds === undefined || entry === undefined || this.#keepRecent(holds, name, entry, readAt)) return;
    this.#remove(holds, name, entry);
  }

  /** Does the same as `forgetUnobserved` for all holds that share a key, except those in `observed`. */
  forgetSharers(target: string, key: Key, observed: ReadonlySet<Key>, readAt?: number): void {
    const holds = this.#holdsByTarget.get(target);
    for (const name of holds?.sharers.get(key) ?? []) {
      const entry = holds?.entries.get(name);
      if (holds === undefined || entry === undefined) continue;
      if (observed.has(name)) entry.grantedAt = Number.NEGATIVE_INFINITY;
      else if (!this.#keepRecent(holds, name, entry, readAt)) this.#remove(holds, name, entry);
    }
  }

  /** Returns the principal of a hold, or `undefined` if the hold is not recorded. */
  findPrincipal(target: string, ref: LedgerRef): string | undefined {
    this.#removeExpired();
    return this.#holdsByTarget.get(target)?.entries.get(toLedgerKey(ref))?.principal;
  }

  getUsage(principal: string): HoldUsage {
    this.#removeExpired();
    return this.#usages.get(principal) ?? NO_USAGE;
  }

  /** Adds holds and bytes to a principal's usage without recording a hold. Negative numbers subtract. */
  add(principal: string, holds: number, bytes: number): void {
    const before = this.#usages.get(principal) ?? NO_USAGE;
    const after = { holds: before.holds + holds, bytes: before.bytes + bytes };
    if (after.holds > 0) this.#usages.set(principal, after);
    else this.#usages.delete(principal);
  }

  /** Number of recorded holds of all principals. Excludes usage that was added only with `add`. */
  get size(): number {
    let size = 0;
    for (const { entries } of this.#holdsByTarget.values()) size += entries.size;
    return size;
  }

  /**
   * Returns whether an observation without the hold may be older than the grant of the hold. If so, the hold counts for
   * up to 5 s after the grant, unless a renewal or a later observation shows that the hold still exists.
   */
  #keepRecent(
    { deadlines }: TargetHolds,
    name: Key,
    { grantedAt }: Entry,
    readAt = Number.NEGATIVE_INFINITY,
  ) {
    const certainUntil = grantedAt + OBSERVED_WITHIN_MS;
    if (readAt >= grantedAt || certainUntil <= this.now()) return false;
    deadlines.set(name, Math.min(deadlines.find(name) ?? certainUntil, certainUntil));
    return true;
  }

  #set(holds: TargetHolds, ref: LedgerRef, { principal, bytes, remainingMs }: LedgerHold, grantedAt: number) {
    const name = toLedgerKey(ref);
    const before = holds.entries.get(name);
    if (before?.principal === principal && before.bytes === bytes)
      Object.assign(before, { token: ref.token, grantedAt });
    else {
      if (before !== undefined) this.#remove(holds, name, before);
      const sharedKey = isSharedKind(ref.kind) ? ref.key : undefined;
      this.#insert(holds, name, { principal, bytes, sharedKey, token: ref.token, grantedAt });
    }
    if (remainingMs === null) holds.deadlines.delete(name);
    else holds.deadlines.set(name, this.now() + remainingMs);
  }

  #insert({ entries, sharers }: TargetHolds, name: Key, entry: Entry): void {
    entries.set(name, entry);
    this.add(entry.principal, 1, entry.bytes);
    if (entry.sharedKey === undefined) return;
    const names = sharers.get(entry.sharedKey) ?? new Set();
    sharers.set(entry.sharedKey, names.add(name));
  }

  #remove({ entries, deadlines, sharers }: TargetHolds, name: Key, entry: Entry): void {
    entries.delete(name);
    deadlines.delete(name);
    this.add(entry.principal, -1, -entry.bytes);
    if (entry.sharedKey === undefined) return;
    const names = sharers.get(entry.sharedKey);
    names?.delete(name);
    if (names?.size === 0) sharers.delete(entry.sharedKey);
  }

  #removeExpired(): void {
    const now = this.now();
    for (const holds of this.#holdsByTarget.values()) {
      for (const name of holds.deadlines.takeDue(now)) {
        const entry = holds.entries.get(name);
        if (entry !== undefined) this.#remove(holds, name, entry);
      }
    }
  }

  #getTargetHolds(target: string): TargetHolds {
    let holds = this.#holdsByTarget.get(target);
    if (holds === undefined) {
      holds = { entries: new Map(), deadlines: new Deadlines(), sharers: new Map() };
      this.#holdsByTarget.set(target, holds);
    }
    return holds;
  }
}

/** Returns whether the recorded hold has another token. Returns false if one of the tokens is unknown. */
function hasOtherToken({ token }: Entry, ref: LedgerRef): boolean {
  return token !== undefined && ref.token !== undefined && token !== ref.token;
}

interface TargetHolds {
  readonly entries: Map<Key, Entry>;
  readonly deadlines: Deadlines<Key>;
  /** The recorded names of the holds that share a key, by key. */
  readonly sharers: Map<Key, Set<Key>>;
}
