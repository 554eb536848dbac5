import type { ForceReleaseInput } from "../../lib/contract/actions/force-release.ts";
import type { Lock } from "../../lib/contract/lock.ts";
import { type Key, toKeyFields } from "../../lib/keys/key.ts";
import { LostError } from "../errors/lock-errors.ts";
import { ChangedError } from "../errors/operator-errors.ts";
import type { HeldObservation } from "../formats/observation.ts";
import { requireReadable } from "../formats/registry/require-readable.ts";
import { createObservedNotALockError } from "../locks/verbs/error-factories.ts";
import type { KeyPatternSet } from "../redis/glob.ts";
import {
  buildHolderVersion,
  buildHoldVersion,
  isObservedVersion,
  matchVersion,
} from "../watch/holds/hold-version.ts";
import type { ObservedHold, ObservedHolder } from "../watch/holds/observed-hold.ts";
import type { Watcher } from "../watch/watcher.ts";
import { explainRedisFailure } from "./explain-redis-failure.ts";
import {
  createChangedError,
  createFormatMismatchError,
  createNotReservableError,
  createSingleHolderError,
  createUnlistedError,
  createUnverifiedError,
} from "./operator-errors.ts";
import { chooseReleaseFormat } from "./release-format.ts";

/** The scope of a release: a `single` lock, or an item of a `bulk` release, which must not release unlisted locks. */
type ReleaseScope = "single" | "bulk";

/**
 * The fields of a request that identify the hold that an operator saw, and that specify how the hold may be changed.
 */
export type HoldSelector = Pick<ForceReleaseInput, "expectedVersion" | "format" | "reservedMs"> & {
  readonly onUnverified: ForceReleaseInput["onUnverified"] | "extend";
  /**
   * Keys that the caller is allowed to read; `undefined` for all keys. Errors omit all other keys that have the same
   * token as the lock.
   */
  readonly allowedKeys?: KeyPatternSet | undefined;
  readonly scope?: ReleaseScope | undefined;
  /** The operation for which the hold is looked up. @default "release" */
  readonly doing?: "release" | "extend";
};

/** Dependencies of the functions that look up a hold. */
interface HoldFinderDeps {
  readonly watcher: Watcher;
}

/**
 * Finds the hold that the request identifies, in its current state. Returns `undefined` if the hold has ended.
 *
 * @throws LockkeeperError format_required, read_only, invalid, changed, unverified, not_a_lock, unavailable
 */
export async function findReleasableHold(
  deps: HoldFinderDeps,
  key: Key,
  request: HoldSelector,
): Promise<ObservedHold | undefined> {
  const found = await findSeenHold(deps, key, request);
  return "goneAt" in found ? undefined : found.hold;
}

/**
 * Asserts that the request can release a hold, based on the last observation of the hold. Returns the format whose
 * rules apply, and the holder if the version identifies one of several holders.
 *
 * @throws LockkeeperError format_required, read_only, invalid, changed, unverified
 */
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
 * Returns the hold from the index if it matches the request and has a single holder with a fencing token. The script
 * compares the token, so such a hold need not be read before the release. Returns `undefined` if the hold must be read
 * from Redis, which is always the case in a quorum and while too few masters respond.
 *
 * @throws the same errors as `assertReleasable`
 */
export function findIndexedHold(
  { watcher }: HoldFinderDeps,
  key: Key,
  request: HoldSelector,
): PresentHold | undefined {
  const hold = watcher.index.get(key);
  // If Redis may not be responding, the hold is read first. If the reply to a read is lost, it is certain that nothing
  // was changed, whereas a script may have been executed.
  if (!watcher.isUp || hold === undefined) return undefined;
  if (hold.seen.state !== "held" || hold.seen.votes !== undefined) return undefined;
  const [{ seen }, ...others] = hold.holders;
  const isIt =
    others.length === 0 && seen.fence !== null && request.expectedVersion === buildHoldVersion(hold);
  if (!isIt || (request.format ?? hold.seen.format) !== hold.seen.format) return undefined;
  return { hold, seen: hold.seen, holder: assertReleasable(watcher, hold, request).holder };
}

/**
 * Reads the hold that the caller saw. If the continuity of the observation cannot be verified, the returned hold may be
 * a later hold of the same owner, so use this function only for operations that neither end nor extend a hold.
 *
 * @throws LockkeeperError lost, changed, not_a_lock, unavailable
 */
export async function readSeenHold(
  watcher: Watcher,
  key: Key,
  expectedVersion: string,
  allowedKeys: HoldSelector["allowedKeys"],
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
 * Reads the hold that the request identifies, and asserts that the request can release or extend the hold. If the hold
 * has ended, returns the time of the read as `goneAt` (Unix ms).
 *
 * @throws LockkeeperError format_required, read_only, invalid, changed, unverified, not_a_lock, unavailable
 */
export async function findSeenHold(
  { watcher }: HoldFinderDeps,
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

/**
 * Returns whether the hold has ended for the request. A hold whose deadline has passed has ended only in its own
 * format, because it still blocks clients that read the key in another format.
 */
function isOver({ seen }: ObservedHold, { format }: HoldSelector): boolean {
  return seen.state === "ended" && (format === undefined || format === seen.format);
}

/**
 * Builds the `Lock` for an error response. Omits keys with the same token if the caller is not allowed to read them.
 */
export function toVisibleLock(
  watcher: Watcher,
  hold: ObservedHold,
  { allowedKeys }: Pick<HoldSelector, "allowedKeys">,
): Lock {
  return watcher.locks.toLock(hold, watcher.locks.findKeysSharingToken(hold, allowedKeys));
}

const NOTHING_CHANGED = "Nothing was changed. Retry later.";

/**
 * Reads the lock from Redis. For a foreign hold, first waits for all earlier notifications, because the version of such
 * a hold depends on uninterrupted observation.
 */
async function readHold(watcher: Watcher, key: Key, isForeign: boolean) {
  return await explainRedisFailure(async () => {
    if (isForeign) await watcher.confirmContinuity(key);
    const { observation, hold } = await watcher.readKey(key);
    return { observation: requireReadable(observation), hold };
  }, NOTHING_CHANGED);
}

/** Reads the hold in the format that the request specifies. */
async function readHoldAs(
  watcher: Watcher,
  hold: ObservedHold,
  format: HeldObservation["format"],
  request: HoldSelector,
): Promise<HeldObservation> {
  const seen = await explainRedisFailure(
    async () => requireReadable(await watcher.readKeyAs(hold.key, format)),
    NOTHING_CHANGED,
  );
  const isHeld = seen.state === "held";
  if (!isHeld || seen.holders[0].token !== hold.seen.holders[0].token)
    throw await readChangedError(watcher, hold.key, request.allowedKeys);
  if (seen.format !== format) throw createFormatMismatchError(format, toVisibleLock(watcher, hold, request));
  return seen;
}

/**
 * Returns the holder that the version in the request identifies, or `undefined` if the version identifies the hold as a
 * whole. Throws if the request cannot release or extend the hold.
 */
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

/** Reads the lock and returns a `changed` error. The error contains the current lock, unless the lock is free. */
export async function readChangedError(
  watcher: Watcher,
  key: Key,
  allowedKeys: HoldSelector["allowedKeys"],
): Promise<ChangedError> {
  const { hold } = await readHold(watcher, key, false);
  if (hold !== undefined)
    return createChangedError(toVisibleLock(watcher, hold, { allowedKeys: allowedKeys }));
  return new ChangedError(
    "The holder changed before your request arrived, and the lock is now free. Nothing was changed.",
    {},
  );
}
