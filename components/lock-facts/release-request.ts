import type { ReleaseRequest } from "@/lib/contract/holds/release-request.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";

/**
 * Returns the holder to which an action on a lock applies: the holder in `lock` with the version of `only`, or the
 * first holder if `only` is `undefined`.
 */
function findSubject(lock: Lock, only: Holder | undefined): Holder | undefined {
  return only === undefined ? lock.holders[0] : lock.holders.find(({ version }) => version === only.version);
}

/**
 * Returns whether the holder receives release requests. A request goes to one holder, so the result is false if the
 * lock has several holders and `only` is `undefined`.
 *
 * @param only one of several holders; `undefined` if the lock has a single holder
 */
export function canAskHolder(lock: Lock, only: Holder | undefined): boolean {
  if (only === undefined && lock.holders.length > 1) return false;
  return findSubject(lock, only)?.receivesReleaseRequests === true;
}

/**
 * Returns the latest release request of a hold; `null` if there is none.
 *
 * @param only one of several holders; `undefined` for the first holder
 */
export function findReleaseRequest(lock: Lock, only?: Holder | undefined): ReleaseRequest | null {
  return findSubject(lock, only)?.releaseRequested ?? null;
}

/**
 * Returns the newer of two states of a hold's release request. The states can arrive out of order: the live stream can
 * report the holder's response before the page receives the result of sending the request.
 */
export function pickNewerRequest(
  known: ReleaseRequest | null,
  reported: ReleaseRequest | null,
): ReleaseRequest | null {
  if (known === null || reported === null) return reported ?? known;
  if (known.requestId !== reported.requestId)
    return reported.requestedAt >= known.requestedAt ? reported : known;
  return reported.state === "requested" ? known : reported;
}

/** Returns the latest release request of any holder; `null` if there is none. */
export function findLatestRequest(holders: readonly Holder[]): ReleaseRequest | null {
  const requests = holders.flatMap(({ releaseRequested }) => releaseRequested ?? []);
  return requests.reduce<ReleaseRequest | null>(pickNewerRequest, null);
}
