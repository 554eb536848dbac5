import { isSharedKind } from "../../lib/contract/format.ts";
import { formatKey, type Key } from "../../lib/keys/key.ts";
import { type HoldQuota, type HoldQuotaOverride, NO_QUOTA_OVERRIDE } from "../auth/hold-quota.ts";
import type { Principal } from "../auth/principal.ts";
import { QuotaExceededError } from "../errors/request-errors.ts";
import { toReaderToken } from "../formats/kind-keys.ts";
import type { HeldObservation, Observation } from "../formats/observation.ts";
import type { Watcher } from "../watch/watcher.ts";
import { estimateHoldBytes, type HoldContent } from "./hold-bytes.ts";
import { HoldClaim } from "./hold-claim.ts";
import { HoldLedger, type HoldUsage, type LedgerRef, toLedgerKey } from "./hold-ledger.ts";
import { ReleasedHolds } from "./released-holds.ts";

/** The principal whose quota applies. */
type QuotaPrincipal = Pick<Principal, "id" | "quota">;

/** A reference to a hold on a target. If several holds share a key, each hold has its own reference. */
export interface LockRef extends LedgerRef {
  readonly target: string;
}

/**
 * Limits the live holds of each principal. Counts holds from two sources: observations of watched keys, which include
 * grants by other instances, and grants by this instance, which include grants for keys that are not watched.
 */
export class HoldQuotas {
  readonly #ledger: HoldLedger;
  readonly #released = new ReleasedHolds();

  /** @param defaults limits for principals without their own quota */
  constructor(
    private readonly defaults: HoldQuota,
    ledger = new HoldLedger(),
  ) {
    this.#ledger = ledger;
  }

  /** Starts to count the holds that a target's watcher observes. */
  watchTarget({
    name,
    watcher,
  }: {
    readonly name: string;
    readonly watcher: Pick<Watcher, "onReading">;
  }): void {
    watcher.onReading((key, _before, after, _waiters, observation, readAt) =>
      this.#applyReading({ target: name, key }, observation, after !== undefined, readAt),
    );
  }

  /**
   * Asserts that the quota of a principal allows another hold, and returns the claim for the hold. If the principal
   * already holds the lock, the quota is not checked, because the outcome of the request is `held` or the stored
   * outcome for its Idempotency-Key.
   *
   * @throws QuotaExceededError if the quota does not allow another hold
   */
  claim(principal: QuotaPrincipal, lock: LockRef, hold: Omit<HoldContent, "key">): HoldClaim {
    const bytes = estimateHoldBytes({ key: lock.key, ...hold });
    const isHeld = this.#ledger.findPrincipal(lock.target, lock) === principal.id;
    if (!isHeld) this.#assertRoom(principal, bytes);
    return new HoldClaim(this.#ledger, { principal: principal.id, bytes, ...lock });
  }

  /**
   * Returns the claim for a hold that the principal gives up and then re-acquires. Does not check the quota, because
   * the hold was already counted.
   */
  reclaim(principal: QuotaPrincipal, lock: LockRef, hold: Omit<HoldContent, "key">): HoldClaim {
    const bytes = estimateHoldBytes({ key: lock.key, ...hold });
    return new HoldClaim(this.#ledger, { principal: principal.id, bytes, ...lock });
  }

  /**
   * Asserts that the quota of a principal allows a hold on each of `keys`, and returns one claim per key. Unlike a
   * claim that `claim` returns, these claims are already counted.
   *
   * @throws QuotaExceededError if the quota does not allow all of these holds
   */
  claimAll(
    principal: QuotaPrincipal,
    target: string,
    keys: readonly Key[],
    hold: Omit<HoldContent, "key">,
  ): HoldClaim[] {
    const claims: HoldClaim[] = [];
    try {
      for (const key of keys) {
        const claim = this.claim(principal, { target, key }, hold);
        claim.count();
        claims.push(claim);
      }
      return claims;
    } catch (error) {
      for (const claim of claims) claim.cancel();
      throw error;
    }
  }

  /** Records that a hold was renewed through this instance and expires in `remainingMs` milliseconds. */
  extend(hold: LockRef, remainingMs: number): void {
    this.#ledger.extend(hold.target, hold, remainingMs);
  }

  /** Records that a hold was replaced by another hold, which expires in `remainingMs` milliseconds. */
  replace(before: LockRef, after: LedgerRef, remainingMs: number): void {
    this.#ledger.replace(before.target, before, after, remainingMs);
  }

  /** Records that a hold was released through this instance. */
  forget(hold: LockRef): void {
    const { target, key, kind, token } = hold;
    this.#ledger.forget(target, hold);
    if (token === undefined) return;
    this.#released.add(target, key, token);
    // The release of a writer also releases the reader that it may have become.
    if (kind === "write") this.forget({ target, key, kind: "read", token: toReaderToken(token) });
  }

  getUsage(principal: string): HoldUsage {
    return this.#ledger.getUsage(principal);
  }

  resolveQuota({ holdsMax, bytesMax }: HoldQuotaOverride = NO_QUOTA_OVERRIDE): HoldQuota {
    return {
      holdsMax: holdsMax ?? this.defaults.holdsMax,
      bytesMax: bytesMax ?? this.defaults.bytesMax,
    };
  }

  #assertRoom(principal: QuotaPrincipal, bytes: number): void {
    const quota = this.resolveQuota(principal.quota);
    const used = this.#ledger.getUsage(principal.id);
    if (used.holds >= quota.holdsMax) throw createQuotaError("holds", quota.holdsMax, used.holds);
    if (used.bytes + bytes > quota.bytesMax) throw createQuotaError("bytes", quota.bytesMax, used.bytes);
  }

  #applyReading(
    { target, key }: LockRef,
    observation: Observation,
    isIndexed: boolean,
    readAt: number | undefined,
  ): void {
    if (observation.state === "unreadable" || isUndecidedFree(observation)) return;
    if (observation.state === "held" && isSharedKind(observation.kind)) {
      this.#ledger.forgetUnobserved(target, { key }, readAt);
      this.#applySharers(target, observation, isIndexed, readAt);
      return;
    }
    this.#ledger.forgetSharers(target, key, NO_NAMES, readAt);
    const [holder] = observation.state === "held" ? observation.holders : [];
    if (holder?.principal === undefined || this.#released.has(target, key, formatKey(holder.token))) {
      this.#ledger.forgetUnobserved(target, { key }, readAt);
      return;
    }
    // Keys that the index omits must not make the ledger larger than the index.
    if (!isIndexed && this.#ledger.findPrincipal(target, { key }) === undefined) return;
    const remainingMs = observation.state === "held" ? observation.remainingMs : null;
    const bytes = estimateHoldBytes({ key, owner: holder.owner, record: holder.record });
    const hold = { principal: holder.principal, bytes, remainingMs };
    this.#ledger.recordObserved(target, { key, token: formatKey(holder.token) }, hold, readAt);
  }

  /** Records the observed holds that share a key, and removes recorded holds of the key that were not observed. */
  #applySharers(
    target: string,
    { key, kind, holders, remainingMs }: HeldObservation,
    isIndexed: boolean,
    readAt: number | undefined,
  ): void {
    const observed = new Set<Key>();
    for (const { token, principal, ownRemainingMs = remainingMs, owner, record } of holders) {
      const ref = { key, kind, token: formatKey(token) };
      if (this.#released.has(target, key, ref.token)) continue;
      observed.add(toLedgerKey(ref));
      if (principal === undefined) continue;
      // Keys that the index omits must not make the ledger larger than the index.
      if (!isIndexed && this.#ledger.findPrincipal(target, ref) === undefined) continue;
      const bytes = estimateHoldBytes({ key, owner, record });
      this.#ledger.recordObserved(target, ref, { principal, bytes, remainingMs: ownRemainingMs }, readAt);
    }
    this.#ledger.forgetSharers(target, key, observed, readAt);
  }
}

const NO_NAMES: ReadonlySet<Key> = new Set();

/** Returns whether a key that was free may be held by now, because the masters of a quorum have not decided. */
const isUndecidedFree = (observation: Observation) =>
  observation.state === "free" && observation.votes?.state === "undecided";

function createQuotaError(quota: "holds" | "bytes", limit: number, used: number): QuotaExceededError {
  const usage = quota === "holds" ? `${used} live holds` : `live holds of ${used} bytes`;
  return new QuotaExceededError(
    `The caller has ${usage}, and its quota is ${limit}. Nothing was acquired. Release holds, or ask an administrator to raise the quota.`,
    { quota, limit, used },
  );
}
