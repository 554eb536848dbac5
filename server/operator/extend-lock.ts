import type { Extended, ExtendInput } from "../../lib/contract/actions/extend.ts";
import type { FormatName } from "../../lib/contract/format.ts";
import { FORMAT_FACTS } from "../../lib/formats/format-catalogue.ts";
import { formatKey, type Key, toKeyFields } from "../../lib/keys/key.ts";
import { LostError } from "../errors/lock-errors.ts";
import { ReadOnlyError, ReasonRequiredError } from "../errors/operator-errors.ts";
import type { HeldObservation } from "../formats/observation.ts";
import type { OperatorVerbs } from "../locks/verbs/contract/verbs.ts";
import { createNotALockError } from "../locks/verbs/error-factories.ts";
import type { KeyPatternSet } from "../redis/glob.ts";
import type { ObservedHold } from "../watch/holds/observed-hold.ts";
import { getRenewalPolicy } from "../watch/holds/renewal-policy.ts";
import type { Watcher } from "../watch/watcher.ts";
import { findSeenHold, readChangedError } from "./seen-hold.ts";

interface ExtendDeps {
  readonly locks: OperatorVerbs;
  readonly watcher: Watcher;
}

type ExtendArgs = ExtendInput & {
  readonly by: string;
  /** Keys that the caller may read. `undefined` for all keys. */
  readonly allowedKeys: KeyPatternSet | undefined;
};

/**
 * Extends the hold that the operator saw. Changes nothing if the lock now has a different hold.
 *
 * @throws LockkeeperError reason_required, format_required, read_only, invalid, lost, changed, unverified, not_a_lock,
 * key_not_allowed, unavailable, unknown_outcome
 */
export async function extendLock(deps: ExtendDeps, key: Key, request: ExtendArgs): Promise<Extended> {
  const reason = request.reason.trim();
  if (reason === "")
    throw new ReasonRequiredError("Send a `reason` for the extension. Nothing was extended.");
  const { watcher, locks } = deps;
  const { leaseMs, by } = request;
  const found = await findSeenHold(deps, key, { ...request, doing: "extend" });
  if ("goneAt" in found) throw createHoldEndedError(key);
  const { hold, seen } = found;
  assertExtensible(seen);
  const reply = await locks.extend(seen, { leaseMs, by, reason });
  if (reply.outcome === "not_a_lock") throw createNotALockError(key, reply.type);
  if (reply.outcome === "gone") throw createHoldEndedError(key);
  if (reply.outcome === "changed") throw await readChangedError(watcher, key, request.allowedKeys);
  const outcome = reply.outcome === "enough" ? "unchanged" : reply.outcome;
  const { remainingMs, asOf } = reply;
  return {
    ...{ ...toKeyFields(key), outcome, owner: formatKey(seen.holders[0].owner), by },
    ...{ remainingMs, lasts: assessLeaseEffect(hold, seen), asOf },
  };
}

function createHoldEndedError(key: Key): LostError {
  return new LostError(
    "The hold that you saw has ended. Nothing was extended. Read the lock again.",
    toKeyFields(key),
  );
}

/** Formats in which the value contains a deadline, so that the TTL of the key alone does not determine the expiry. */
const DEADLINE_IN_VALUE: ReadonlySet<FormatName> = new Set(["timestamp", "redis-lock"]);

/**
 * Asserts that Lockkeeper can extend the observed hold, based on its format, kind and holders.
 *
 * @throws ReadOnlyError with the reason if the hold cannot be extended
 */
function assertExtensible(seen: HeldObservation): void {
  const why = explainNotExtensible(seen);
  if (why === undefined) return;
  throw new ReadOnlyError(
    `Locks of ${FORMAT_FACTS[seen.format].label} cannot be extended. ${why} Nothing was changed.`,
    { why },
  );
}

function explainNotExtensible({ format, type, kind, holders }: HeldObservation): string | undefined {
  const [{ fence }] = holders;
  if (holders.length > 1) return "The lock has several holders, each with its own TTL.";
  if (kind === "semaphore") return "Each of its permits has its own end.";
  if (fence !== null) return undefined;
  if (DEADLINE_IN_VALUE.has(format))
    return "The value contains the deadline, and its holder identifies itself by that value.";
  const isPlain = kind === "lock" || kind === "fair" || kind === "fenced";
  if (type === "hash" && format === "redisson" && isPlain) return undefined;
  if (type === "string" && isPlain) return undefined;
  return "The TTL of the key does not determine alone when the lock expires.";
}

function assessLeaseEffect({ liveness }: ObservedHold, seen: HeldObservation): Extended["lasts"] {
  // The hold was acquired through Lockkeeper, whose renewals never shorten a lease.
  if (seen.holders[0].fence !== null) return "to_its_end";
  const { who } = getRenewalPolicy(seen);
  if (who === "all" || liveness.state === "alive" || liveness.state === "overdue") return "until_renewed";
  return who === "none" ? "to_its_end" : "unknown";
}
