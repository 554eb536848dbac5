import type { ForceReleased, ForceReleaseInput } from "../../lib/contract/actions/force-release.ts";
import { isLikelyAlive } from "../../lib/contract/actions/looks-alive.ts";
import type { Lock } from "../../lib/contract/lock.ts";
import { formatKey, type Key, toKeyFields } from "../../lib/keys/key.ts";
import { ReasonRequiredError } from "../errors/operator-errors.ts";
import type { ForceReleaseParams } from "../formats/lock-format.ts";
import type { HeldObservation } from "../formats/observation.ts";
import type { Journal } from "../history/journal.ts";
import type { MasterReleaseOutcome, OperatorVerbs } from "../locks/verbs/contract/verbs.ts";
import { createNotALockError } from "../locks/verbs/error-factories.ts";
import { formatReservedOwner } from "../locks/verbs/input/reserved-owner.ts";
import { isSameHolder } from "../watch/holds/holder-identity.ts";
import type { ObservedHold, ObservedHolder } from "../watch/holds/observed-hold.ts";
import { getHolderSince, getLeaseMs } from "../watch/holds/observed-hold.ts";
import { computeReacquireWindowMs } from "../watch/holds/renewal-policy.ts";
import type { Watcher } from "../watch/watcher.ts";
import {
  findIndexedHold,
  findSeenHold,
  type HoldSelector,
  readChangedError,
  toVisibleLock,
} from "./seen-hold.ts";
import { findKeysSharingToken, forceReleaseSharedKeys } from "./shared-key-release.ts";

interface ForceReleaseDeps {
  readonly locks: OperatorVerbs;
  readonly watcher: Watcher;
  readonly journal: Journal;
}

type ForceReleaseArgs = ForceReleaseInput &
  Pick<HoldSelector, "allowedKeys" | "scope"> & {
    readonly by: string;
  };

/**
 * Force-releases the hold that the operator saw. Releases nothing if the lock now has a different hold.
 *
 * The hold is verified twice. This function compares the version in the request with the observed hold, because an
 * owner string can be reused. The script then compares the hold with the current value in Redis. For a hold with a
 * fencing token, the script's check alone would be sufficient. One race remains: a foreign owner may have released the
 * lock and acquired it again so recently that the notification has not arrived.
 *
 * @throws LockkeeperError reason_required, format_required, read_only, invalid, changed, unverified, not_a_lock,
 * key_not_allowed, unavailable, unknown_outcome
 */
export async function forceReleaseLock(
  deps: ForceReleaseDeps,
  key: Key,
  request: ForceReleaseArgs,
): Promise<ForceReleased> {
  const { watcher, locks } = deps;
  const found = findIndexedHold(deps, key, request) ?? (await findSeenHold(deps, key, request));
  if ("goneAt" in found) return toAlreadyGoneResult(deps, key, request.by, found.goneAt);
  const { hold, seen, holder } = found;
  const reason = requireReason(request, () => toVisibleLock(watcher, hold, request));
  const releaseParams = toForceReleaseParams(seen, holder, { ...request, reason });
  const others = findKeysSharingToken(watcher, hold, seen.format).filter(
    (each) => request.allowedKeys?.has(each) ?? true,
  );
  const reply = await locks.forceRelease(seen, releaseParams);
  if (reply.outcome === "not_a_lock") throw createNotALockError(key, reply.type);
  if (reply.outcome === "gone") return toAlreadyGoneResult(deps, key, request.by, reply.asOf);
  if (reply.outcome === "changed") throw await readChangedError(watcher, key, request.allowedKeys);
  watcher.recordForceRelease(seen, releaseParams.holder);
  const together = await forceReleaseSharedKeys(deps, others, seen, releaseParams);
  return {
    ...{ ...toKeyFields(key), outcome: "released", by: request.by, asOf: reply.asOf },
    ...toReleasedHold(hold, holder ?? hold.holders[0], reply.asOf),
    ...(releaseParams.reservation === undefined ? {} : { reserved: releaseParams.reservation }),
    ...(together.length === 0 ? {} : { together }),
    ...(reply.masters === undefined ? {} : { masters: reply.masters.map(toMasterOutcome) }),
    watchMs: computeReacquireWindowMs(seen, getLeaseMs(hold)),
  };
}

function toMasterOutcome({
  name,
  outcome,
}: MasterReleaseOutcome): NonNullable<ForceReleased["masters"]>[number] {
  return { name, outcome: outcome === "away" ? "unreachable" : outcome };
}

/** Returns the fields of the result that describe the released hold, as it was last observed. */
function toReleasedHold(
  hold: ObservedHold,
  holder: ObservedHolder,
  asOf: number,
): Pick<ForceReleased, "owner" | "fence" | "heldMs" | "waiters"> {
  const { since, sinceIs } = getHolderSince(holder);
  return {
    owner: formatKey(holder.seen.owner),
    ...(holder.seen.fence === null ? {} : { fence: holder.seen.fence }),
    // `heldMs` is omitted if the start time comes from the owner string. That time is from the client's clock, and may
    // be the start of the client's wait.
    ...(sinceIs === "reported" ? {} : { heldMs: Math.max(0, asOf - since) }),
    ...(hold.seen.waiters === undefined ? {} : { waiters: hold.seen.waiters }),
  };
}

/**
 * Returns the trimmed reason. It may be empty only if the holder does not appear to be alive.
 *
 * @throws ReasonRequiredError
 */
function requireReason({ reason }: Pick<ForceReleaseArgs, "reason">, lockNow: () => Lock): string {
  const given = reason.trim();
  if (given !== "") return given;
  const lock = lockNow();
  if (!isLikelyAlive(lock)) return given;
  const why =
    lock.liveness?.state === "alive"
      ? "The holder appears to be alive"
      : "The liveness of the holder is unknown";
  throw new ReasonRequiredError(`${why}. Send a \`reason\`. Nothing was released.`);
}

function toForceReleaseParams(
  seen: HeldObservation,
  holder: ObservedHolder | undefined,
  request: ForceReleaseArgs,
): ForceReleaseParams {
  const { by, reason, reservedMs } = request;
  const one = holder && seen.holders.find((each) => isSameHolder(each, holder.seen));
  const reservation = reservedMs === undefined ? undefined : { owner: formatReservedOwner(by), reservedMs };
  return { holder: one, by, reason, reservation };
}

function toAlreadyGoneResult(
  { journal }: ForceReleaseDeps,
  key: Key,
  by: string,
  asOf: number,
): ForceReleased {
  const ended = journal.findLastEnd(key);
  return {
    ...toKeyFields(key),
    outcome: "already_gone",
    by,
    ...(ended === undefined ? {} : { ended }),
    asOf,
  };
}
