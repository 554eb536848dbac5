import type { Key } from "../../lib/keys/key.ts";
import type { Observation } from "../formats/observation.ts";
import { noLockSeen } from "../locks/verbs/error-factories.ts";
import { NeverSentError } from "../redis/failure.ts";
import type { Master, Masters } from "../redis/master.ts";
import type { RuleBook } from "../watch/annotations/format-rule-store.ts";

/** What is looked at in Redis itself, and not in the picture. */
export interface Where {
  readonly name: string;
  readonly masters: Masters;
  readonly rules: Pick<RuleBook, "rules">;
}

/** Who is asked about a key: of a quorum all of them. @throws NeverSentError while nobody has the key */
export function mastersOf(masters: Masters, key: Key): readonly Master[] {
  if (masters.areVoting) return masters.list;
  const master = masters.of(key);
  if (master === undefined) throw new NeverSentError("No master is known to have the key");
  return [master];
}

export function firstFailure(tries: readonly PromiseSettledResult<unknown>[]): unknown {
  const failed = tries.find(({ status }) => status === "rejected");
  return failed?.status === "rejected" ? failed.reason : new NeverSentError("No master was asked");
}

/**
 * Of a quorum one copy that is a lock is enough: the others are part of what is looked for.
 *
 * @throws LockkeeperError not_a_lock, key_not_allowed
 */
export function assertLock(seen: readonly Observation[]): void {
  const other = seen.find(({ state }) => state === "not_a_lock");
  if (other?.state === "not_a_lock" && !seen.some(({ state }) => state === "held" || state === "ended")) {
    throw noLockSeen(other);
  }
}
