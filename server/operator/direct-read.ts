import type { Key } from "../../lib/keys/key.ts";
import type { Observation } from "../formats/observation.ts";
import { createObservedNotALockError } from "../locks/verbs/error-factories.ts";
import { NeverSentError } from "../redis/failure.ts";
import type { Master, Masters } from "../redis/master.ts";
import type { FormatRuleStore } from "../watch/annotations/format-rule-store.ts";

/** The members of a target that are needed to read locks directly from Redis, without the index. */
export interface DirectReadTarget {
  readonly name: string;
  readonly masters: Masters;
  readonly rules: Pick<FormatRuleStore, "rules">;
}

/**
 * Returns the masters from which to read a key. In a quorum, these are all masters.
 *
 * @throws NeverSentError if no master is known for the key
 */
export function findMastersToAsk(masters: Masters, key: Key): readonly Master[] {
  if (masters.isQuorum) return masters.list;
  const master = masters.findMaster(key);
  if (master === undefined) throw new NeverSentError("No master is known to have the key");
  return [master];
}

export function getFirstFailure(tries: readonly PromiseSettledResult<unknown>[]): unknown {
  const failed = tries.find(({ status }) => status === "rejected");
  return failed?.status === "rejected" ? failed.reason : new NeverSentError("No master was read");
}

/**
 * Asserts that a key is a lock or free, based on its copies on the masters. In a quorum, one copy that is a lock is
 * sufficient, because the masters can have different copies.
 *
 * @throws LockkeeperError not_a_lock
 */
export function assertIsLock(seen: readonly Observation[]): void {
  const other = seen.find(({ state }) => state === "not_a_lock");
  if (other?.state === "not_a_lock" && !seen.some(({ state }) => state === "held" || state === "ended")) {
    throw createObservedNotALockError(other);
  }
}
