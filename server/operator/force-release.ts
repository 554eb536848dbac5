import type { ForceReleased, ForceReleaseInput } from "../../lib/contract/actions/force-release.ts";
import { isLikelyAlive } from "../../lib/contract/actions/looks-alive.ts";
import type { Lock } from "../../lib/contract/lock.ts";
import { formatKey, type Key, toKeyFields } from "../../lib/keys/key.ts";
import { LostError } from "../errors/lock-errors.ts";
import { ChangedError, ReasonRequiredError } from "../errors/operator-errors.ts";
import type { ForceReleaseParams } from "../formats/lock-format.ts";
import type { HeldObservation } from "../formats/observation.ts";
import type { Journal } from "../history/journal.ts";
import { createNotALockError, createObservedNotALockError } from "../locks/verbs/error-factories.ts";
import { explainRedisFailure } from "../locks/verbs/explain-redis-failure.ts";
import { requireReadable } from "../locks/verbs/require-readable.ts";
import { formatReservedOwner } from "../locks/verbs/reserved-owner.ts";
import type { MasterReleaseOutcome, OperatorVerbs } from "../locks/verbs/verbs.ts";
import type { KeyPatternSet } from "../redis/glob.ts";
import {
  buildHolderVersion,
  buildHoldVersion,
  isObservedVersion,
  matchVersion,
} from "../watch/holds/hold-version.ts";
import { isSameHolder } from "../watch/holds/holder-identity.ts";
import type { ObservedHold, ObservedHolder } from "../watch/holds/observed-hold.ts";
import { getHolderSince, getLeaseMs } from "../watch/holds/observed-hold.ts";
import { computeReacquireWindowMs } from "../watch/holds/renewal-policy.ts";
import type { Watcher } from "../watch/watcher.ts";
import {
  createChangedError,
  createFormatMismatchError,
  createNotReservableError,
  createSingleHolderError,
  createUnlistedError,
  createUnverifiedError,
} from "./operator-errors.ts";
import { chooseReleaseFormat } from "./release-format.ts";
import { findKeysSharingToken, forceReleaseSharedKeys } from "./shared-key-release.ts";

interface ForceReleaseDeps {
  readonly locks: OperatorVerbs;
  readonly watcher: Watcher;
  readonly journal: Journal;
}

type ForceReleaseArgs = ForceReleaseInput & {
  readonly by: string;
  /** Limits which keys with the same token are released; `undefined` means all. */
  readonly allowedKeys?: KeyPatternSet | undefined;
  readonly scope?: ReleaseScope | undefined;
};

/** `bulk`: an item of a bulk release, which excludes unlisted locks. `single` by default. */
export type ReleaseScope = "single" | "bulk";

/**
 * Releases the hold that the operator saw, or nothing.
 *
 * The hold is compared twice: here with the observations (an owner string can be reused), and by the script with the
 * current value in Redis. A hold with a fencing token is compared only by the script. The remaining race is a foreign
 * owner that released and re-acquired the lock so recently that the notification has not arrived.
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

/** Returns the facts about the released hold from the index. */
function toReleasedHold(
  hold: ObservedHold,
  holder: ObservedHolder,
  asOf: number,
): Pick<ForceReleased, "owner" | "fence" | "heldMs" | "waiters"> {
  const { since, sinceIs } = getHolderSince(holder);
  return {
    owner: formatKey(holder.seen.owner),
    ...(holder.seen.fence === null ? {} : { fence: holder.seen.fence }),
    // The time in the owner string comes from the client's clock, and may be the start of its wait.
    ...(sinceIs === "reported" ? {} : { heldMs: Math.max(0, asOf - since) }),
    ...(hold.seen.waiters === undefined ? {} : { waiters: hold.seen.waiters }),
  };
}

/** Returns the reason, which may be empty if the holder does not appear to be alive. @throws ReasonRequiredError */
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

type HoldSelector = Pick<
  ForceReleaseArgs,
  "expectedVersion" | "format" | "reservedMs" | "allowedKeys" | "scope"
> & {
  readonly onUnverified: ForceReleaseArgs["onUnverified"] | "extend";
  /** The purpose of the lookup; `release` by default. */
  readonly doing?: "release" | "extend";
};

/**
 * Finds the current state of the hold that the request names; `undefined` if it has ended.
 *
 * @throws LockkeeperError as `forceReleaseLock`
 */
export async function findReleasableHold(
  deps: ForceReleaseDeps,
  key: Key,
  request: HoldSelector,
): Promise<ObservedHold | undefined> {
  const found = await findSeenHold(deps, key, request);
  return "goneAt" in found ? undefined : found.hold;
}

/** Asserts that a hold can be released, as far as the index shows. @throws LockkeeperError */
export function assertReleasable(watcher: Watcher, hold: ObservedHold, request: HoldSelector) {
  const lock = toVisibleLock(watcher, hold, request);
  const format = chooseReleaseFormat(lock, request);
  if (request.scope === "bulk" && !hold.isListed) throw createUnlistedError(lock);
  return { format, holder: findExpectedHolder(lock, hold, request) };
}

interface PresentHold {
  readonly hold: ObservedHold;
  readonly seen: HeldObservation;
  readonly holder: ObservedHolder | undefined;
}

type SeenHoldLookup = PresentHold | { readonly goneAt: number };

/**
 * Returns a hold with a fencing token from the index. The script compares the token, so no read is needed, except
 * in a quorum, where each master must be read.
 */
function findIndexedHold(
  { watcher }: ForceReleaseDeps,
  key: Key,
  request: HoldSelector,
): PresentHold | undefined {
  const hold = watcher.index.get(key);
  // If Redis may not respond, read first: a read without a reply has no effect, but a script without one may.
  if (!watcher.isUp || hold === undefined) return undefined;
  if (hold.seen.state !== "held" || hold.seen.votes !== undefined) return undefined;
  const [{ seen }, ...others] = hold.holders;
  const isIt =
    others.length === 0 && seen.fence !== null && request.expectedVersion === buildHoldVersion(hold);
  if (!isIt || (request.format ?? hold.seen.format) !== hold.seen.format) return undefined;
  return { hold, seen: hold.seen, holder: assertReleasable(watcher, hold, request).holder };
}

/**
 * Reads the hold that the caller saw, or one that may be the same. Use it only for harmless operations.
 *
 * @throws LockkeeperError lost, changed, not_a_lock, unavailable
 */
export async function readSeenHold(
  watcher: Watcher,
  key: Key,
  expectedVersion: string,
  allowedKeys: ForceReleaseArgs["allowedKeys"],
): Promise<ObservedHold> {
  const { observation, hold } = await readHold(watcher, key, false);
  if (observation.state === "not_a_lock") throw createObservedNotALockError(observation);
  if (hold === undefined)
    throw new LostError("The hold that you saw has ended. Read the lock again.", toKeyFields(key));
  if (matchVersion(expectedVersion, hold).comparison === "changed")
    throw createChangedError(toVisibleLock(watcher, hold, { allowedKeys: allowedKeys }));
  return hold;
}

/**
 * Reads the hold that the request names and checks that the request can release it.
 *
 * @throws LockkeeperError as `forceReleaseLock`
 */
export async function findSeenHold(
  { watcher }: Pick<ForceReleaseDeps, "watcher">,
  key: Key,
  request: HoldSelector,
): Promise<SeenHoldLookup> {
  const { observation, hold } = await readHold(watcher, key, isObservedVersion(request.expectedVersion));
  if (observation.state === "not_a_lock") throw createObservedNotALockError(observation);
  if (hold === undefined || isOver(hold, request)) return { goneAt: observation.asOf };
  const { format, holder } = assertReleasable(watcher, hold, request);
  const seen = format === hold.seen.format ? hold.seen : await readHoldAs(watcher, hold, format, request);
  return { hold, seen, holder };
}

/** A deadline that has passed still blocks clients that read the key as another format. */
function isOver({ seen }: ObservedHold, { format }: HoldSelector): boolean {
  return seen.state === "ended" && (format === undefined || format === seen.format);
}

/** Builds the lock for an error response, without the names of keys that the caller may not read. */
function toVisibleLock(
  watcher: Watcher,
  hold: ObservedHold,
  { allowedKeys }: Pick<ForceReleaseArgs, "allowedKeys">,
): Lock {
  return watcher.locks.toLock(hold, watcher.locks.findKeysSharingToken(hold, allowedKeys));
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

const NOTHING_RELEASED = "Nothing was released. Retry later.";

/**
 * Reads the key. The version of a foreign hold depends on uninterrupted observation, so its continuity is confirmed
 * first.
 */
async function readHold(watcher: Watcher, key: Key, isForeign: boolean) {
  return await explainRedisFailure(async () => {
    if (isForeign) await watcher.confirmContinuity(key);
    const { observation, hold } = await watcher.readKey(key);
    return { observation: requireReadable(observation), hold };
  }, NOTHING_RELEASED);
}

/** Reads the hold in the format that the request names. */
async function readHoldAs(
  watcher: Watcher,
  hold: ObservedHold,
  format: HeldObservation["format"],
  request: HoldSelector,
): Promise<HeldObservation> {
  const seen = await explainRedisFailure(
    async () => requireReadable(await watcher.readKeyAs(hold.key, format)),
    NOTHING_RELEASED,
  );
  const isHeld = seen.state === "held";
  if (!isHeld || seen.holders[0].token !== hold.seen.holders[0].token)
    throw await readChangedError(watcher, hold.key, request.allowedKeys);
  if (seen.format !== format) throw createFormatMismatchError(format, toVisibleLock(watcher, hold, request));
  return seen;
}

/** Finds the holder that the version identifies; `undefined` if it identifies the lock as a whole. */
function findExpectedHolder(
  lock: Lock,
  hold: ObservedHold,
  request: HoldSelector,
): ObservedHolder | undefined {
  const { expectedVersion, onUnverified, reservedMs, doing } = request;
  const { comparison, holder } = matchVersion(expectedVersion, hold);
  if (comparison === "changed") throw createChangedError(lock);
  if (holder !== undefined && lock.release?.oneHolder !== true) throw createSingleHolderError(lock);
  if (holder !== undefined && reservedMs !== undefined && hold.holders.length > 1)
    throw createNotReservableError(lock);
  if (comparison === "unverified" && onUnverified === "refuse") {
    const one = holder && { owner: holder.seen.owner, version: buildHolderVersion(hold, holder) };
    throw createUnverifiedError(lock, one, doing);
  }
  return holder;
}

/** Reads the current lock and creates the error that reports it. */
export async function readChangedError(
  watcher: Watcher,
  key: Key,
  allowedKeys: ForceReleaseArgs["allowedKeys"],
): Promise<ChangedError> {
  const { hold } = await readHold(watcher, key, false);
  if (hold !== undefined)
    return createChangedError(toVisibleLock(watcher, hold, { allowedKeys: allowedKeys }));
  return new ChangedError(
    "The holder changed before your request arrived, and the lock is now free. Nothing was released.",
    {},
  );
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
