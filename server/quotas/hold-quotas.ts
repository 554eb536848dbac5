import type { WritableKind } from "../../lib/contract/format.ts";
import { formatKey, type Key } from "../../lib/keys/key.ts";
import { type HoldQuota, type HoldQuotaOverride, NO_QUOTA_OVERRIDE } from "../auth/hold-quota.ts";
import type { Principal } from "../auth/principal.ts";
import { QuotaExceededError } from "../errors/request-errors.ts";
import type { Observation, SeenHolder } from "../formats/observation.ts";
import type { Watcher } from "../watch/watcher.ts";
import { estimateHoldBytes, type HoldContent } from "./hold-bytes.ts";
import { HoldClaim } from "./hold-claim.ts";
import { HoldLedger, type HoldUsage, toLedgerKey } from "./hold-ledger.ts";

/** The principal whose quota applies. */
type QuotaPrincipal = Pick<Principal, "id" | "quota">;

/** The target and key of a request. */
export interface LockRef {
  readonly target: string;
  readonly key: Key;
  /** The kind and token of a hold. Holds that share a key count separately. */
  readonly kind?: WritableKind | undefined;
  readonly token?: string | undefined;
}

/**
 * Limits the live holds of each principal. Holds are counted from observations of watched keys, which include grants by
 * other instances, and from grants by this instance, which include keys that are not watched.
 */
export class HoldQuotas {
  readonly #ledger: HoldLedger;

  /** @param defaults limits of principals without their own quota */
  constructor(
    private readonly defaults: HoldQuota,
    ledger = new HoldLedger(),
  ) {
    this.#ledger = ledger;
  }

  /** Counts the holds that the watcher of a target observes from now on. */
  watchTarget({
    name,
    watcher,
  }: {
    readonly name: string;
    readonly watcher: Pick<Watcher, "onReading">;
  }): void {
    watcher.onReading((key, _before, after, _waiters, observation) =>
      this.#applyReading({ target: name, key }, observation, after !== undefined),
    );
  }

  /**
   * Asserts that a principal may acquire a lock, and returns the claim of its hold. A lock that the principal already
   * holds is never refused: the request gets `held`, or the stored outcome of its Idempotency-Key.
   *
   * @throws QuotaExceededError
   */
  claim(principal: QuotaPrincipal, lock: LockRef, hold: Omit<HoldContent, "key">): HoldClaim {
    const bytes = estimateHoldBytes({ key: lock.key, ...hold });
    const isHeld = this.#ledger.findPrincipal(lock.target, toLedgerKey(lock)) === principal.id;
    if (!isHeld) this.#assertRoom(principal, bytes);
    return new HoldClaim(this.#ledger, { ...lock, principal: principal.id, bytes });
  }

  /** Returns the claim of a hold that the principal gives up and gets back. Never refused, because it was counted before. */
  reclaim(principal: QuotaPrincipal, lock: LockRef, hold: Omit<HoldContent, "key">): HoldClaim {
    const bytes = estimateHoldBytes({ key: lock.key, ...hold });
    return new HoldClaim(this.#ledger, { ...lock, principal: principal.id, bytes });
  }

  /**
   * Like `claim`, but for several locks that are acquired together. The returned claims are already counted.
   *
   * @throws QuotaExceededError if the quota does not allow all of them
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

  /** Records that a hold was renewed through this instance and expires in `remainingMs`. */
  extend(hold: LockRef, remainingMs: number): void {
    this.#ledger.extend(hold.target, toLedgerKey(hold), remainingMs);
  }

  /** Records that a hold was released through this instance. */
  forget(hold: LockRef): void {
    this.#ledger.forget(hold.target, toLedgerKey(hold));
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

  #applyReading({ target, key }: LockRef, observation: Observation, isIndexed: boolean): void {
    if (observation.state === "unreadable") return;
    if (observation.state === "held" && observation.kind === "semaphore") {
      if (isIndexed) for (const holder of observation.holders) this.#recordShared(target, key, holder);
      return;
    }
    const [holder] = observation.state === "held" ? observation.holders : [];
    if (holder?.principal === undefined) {
      this.#ledger.forget(target, key);
      return;
    }
    // Keys that the index omits must not make the ledger larger than the index.
    if (!isIndexed && this.#ledger.findPrincipal(target, key) === undefined) return;
    const remainingMs = observation.state === "held" ? observation.remainingMs : null;
    const bytes = estimateHoldBytes({ key, owner: holder.owner, record: holder.record });
    this.#ledger.record(target, key, { principal: holder.principal, bytes, remainingMs });
  }

  /** Holds that are no longer observed expire with their lease. */
  #recordShared(
    target: string,
    key: Key,
    { token, principal, ownRemainingMs, owner, record }: SeenHolder,
  ): void {
    if (principal === undefined) return;
    const bytes = estimateHoldBytes({ key, owner, record });
    const name = toLedgerKey({ key, kind: "semaphore", token: formatKey(token) });
    this.#ledger.record(target, name, { principal, bytes, remainingMs: ownRemainingMs ?? null });
  }
}

function createQuotaError(quota: "holds" | "bytes", limit: number, used: number): QuotaExceededError {
  const usage = quota === "holds" ? `${used} live holds` : `live holds of ${used} bytes`;
  return new QuotaExceededError(
    `The caller has ${usage}, and its quota is ${limit}. Nothing was acquired. Release holds, or ask an administrator to raise the quota.`,
    { quota, limit, used },
  );
}
