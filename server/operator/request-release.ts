import type { RequestReleaseInput } from "../../lib/contract/actions/release-request.ts";
import type { ReleaseRequest } from "../../lib/contract/holds/release-request.ts";
import { type Key, toKeyFields } from "../../lib/keys/key.ts";
import { LostError } from "../errors/lock-errors.ts";
import { ReasonRequiredError } from "../errors/operator-errors.ts";
import type { OperatorVerbs } from "../locks/verbs/contract/verbs.ts";
import { createNotALockError, createReleaseRequestUnsupportedError } from "../locks/verbs/error-factories.ts";
import { toRecordText } from "../locks/verbs/input/caller-texts.ts";
import type { KeyPatternSet } from "../redis/glob.ts";
import { matchVersion } from "../watch/holds/hold-version.ts";
import type { Watcher } from "../watch/watcher.ts";
import { createFormatMismatchError } from "./operator-errors.ts";
import { readChangedError, readSeenHold } from "./seen-hold.ts";

interface RequestReleaseDeps {
  readonly locks: OperatorVerbs;
  readonly watcher: Watcher;
}

type RequestReleaseArgs = RequestReleaseInput & {
  readonly by: string;
  /** Keys that the caller may read. `undefined` for all keys. */
  readonly allowedKeys: KeyPatternSet | undefined;
};

/**
 * Sends a release request to the holder that the operator saw. Only the client with that hold can accept or refuse the
 * request.
 *
 * The script compares the token and the fencing token of the hold, so a later hold never receives the request. A
 * release request does not change the version.
 *
 * @throws LockkeeperError reason_required, release_request_unsupported, invalid, lost, changed, not_a_lock,
 * key_not_allowed, unavailable, unknown_outcome
 */
export async function requestRelease(
  { locks, watcher }: RequestReleaseDeps,
  key: Key,
  { expectedVersion, reason, format, by, allowedKeys }: RequestReleaseArgs,
): Promise<ReleaseRequest> {
  if (toRecordText(reason) === "")
    throw new ReasonRequiredError("Send a `reason` for the release request. Nothing was sent.");
  const hold = await readSeenHold(watcher, key, expectedVersion, allowedKeys);
  const { seen } = hold;
  if (format !== undefined && format !== seen.format)
    throw createFormatMismatchError(format, watcher.locks.toLock(hold, []));
  const holder = (matchVersion(expectedVersion, hold).holder ?? hold.holders[0]).seen;
  if (seen.votes !== undefined)
    throw createReleaseRequestUnsupportedError(key, "Holds on a quorum do not receive release requests.");
  if (holder.receivesReleaseRequests !== true)
    throw createReleaseRequestUnsupportedError(key, "The holder does not receive release requests.");
  const reply = await locks.requestRelease(seen, holder, { by, reason });
  if (reply.outcome === "requested") return reply.request;
  if (reply.outcome === "unsupported")
    throw createReleaseRequestUnsupportedError(key, "The holder does not receive release requests.");
  if (reply.outcome === "changed") throw await readChangedError(watcher, key, allowedKeys);
  if (reply.outcome === "not_a_lock") throw createNotALockError(key, reply.type);
  throw new LostError("The hold that you saw has ended. Nothing was sent.", toKeyFields(key));
}
