import type { EventType, HistoryEntry, LockEvent } from "@/lib/contract/event.ts";
import { isGap } from "@/lib/contract/gap.ts";
import type { ReleaseRequest } from "@/lib/contract/holds/release-request.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { isHoldEnd } from "../events/key-history/merge-events.ts";

/**
 * What has happened to the hold that the operator saw. `same`: no change is known. `other`: the hold has changed, but
 * the lock is still held. `gone`: the lock is no longer held.
 */
export type HoldDrift = "same" | "other" | "gone";

/**
 * Compares the hold that the operator saw with the current lock. Returns `same` if `current` is `undefined` or older
 * than `seen`.
 *
 * @param holder the holder that the operator saw, if the lock had several; `undefined` for the whole lock
 */
export function detectDrift(seen: Lock, current: Lock | undefined, holder?: Holder): HoldDrift {
  if (current === undefined || current.asOf < seen.asOf) return "same";
  const isThere =
    holder === undefined
      ? current.version === seen.version
      : current.holders.some(({ version }) => version === holder.version);
  if (isThere) return "same";
  return current.holders.length === 0 ? "gone" : "other";
}

/**
 * How the current hold differs from the hold that the operator saw. `other_owner`: the owner has changed. `reacquired`:
 * the same owner has acquired the lock again. `not_followed`: the same owner holds the lock, but whether it is the same
 * hold is not known.
 */
export type HoldChange = "other_owner" | "reacquired" | "not_followed";

export function describeHoldChange(seen: Lock, holder: Holder | undefined, current: Lock): HoldChange {
  const before = holder === undefined ? seen.holders : [holder];
  const isSameOwners =
    (holder !== undefined || before.length === current.holders.length) &&
    before.every(({ owner }) => current.holders.some((now) => now.owner === owner));
  if (!isSameOwners) return "other_owner";
  const isReacquired = before.every((was) =>
    current.holders.some((now) => now.owner === was.owner && isLaterHold(was, now)),
  );
  return isReacquired ? "reacquired" : "not_followed";
}

function isLaterHold(was: Holder, now: Holder): boolean {
  if (was.fence !== null && now.fence !== null) return was.fence !== now.fence;
  return now.sinceIs === "exact" && now.since !== null && was.since !== null && now.since > was.since;
}

/**
 * Returns the earliest time by which the hold that the operator saw is known to have ended, in Unix milliseconds on the
 * Redis clock.
 */
export function findHoldEnd(seen: Lock, current: Lock, events: readonly HistoryEntry[]): number {
  const ends = events.filter(isHoldEnd).map(({ at }) => at);
  const starts = current.holders.flatMap(({ since, sinceIs }) => (sinceIs === "exact" ? (since ?? []) : []));
  return Math.min(...[...ends, ...starts].filter((at) => at >= seen.asOf), current.asOf);
}

/**
 * Returns the event that ended the hold that the operator saw, matched by fencing token. Returns `undefined` if the
 * hold has no fencing token or `events` contains no such event.
 *
 * @param holder the holder that the operator saw; defaults to the first holder of `seen`
 */
export function findEndEvent(
  seen: Lock,
  holder: Holder | undefined,
  events: readonly HistoryEntry[],
): LockEvent | undefined {
  const fence = (holder ?? seen.holders[0])?.fence ?? null;
  if (fence === null) return undefined;
  return events.filter((entry) => !isGap(entry)).find((event) => event.fence === fence && isHoldEnd(event));
}

/**
 * Returns the release request with the holder's response, taken from the event in which the holder accepted or refused.
 * Returns the request unchanged if it already has a response, if `fence` is `null` or `undefined`, or if there is no
 * such event.
 *
 * The event is needed because a holder that accepts can release the lock within milliseconds, before Lockkeeper reads
 * the lock again.
 */
export function addAnswer(
  request: ReleaseRequest,
  fence: string | null | undefined,
  events: readonly HistoryEntry[],
): ReleaseRequest {
  if (request.state !== "requested" || fence === null || fence === undefined) return request;
  const answer = events
    .filter((entry) => !isGap(entry))
    .find((event) => event.fence === fence && event.at >= request.requestedAt && ANSWERS.has(event.type));
  const state = answer === undefined ? undefined : ANSWERS.get(answer.type);
  return state === undefined ? request : { ...request, state, answerText: answer?.reason ?? null };
}

const ANSWERS: ReadonlyMap<EventType, ReleaseRequest["state"]> = new Map([
  ["release_request_accepted", "accepted"],
  ["release_request_refused", "refused"],
]);
