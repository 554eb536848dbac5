import type { ReadableObservation, SeenHolder } from "../../formats/observation.ts";
import { type ScriptEvent, toMessageOwner } from "../connection/script-event.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";

/**
 * Converts one master's script event for a force-release into the `force_released` event of the whole hold.
 *
 * @param at time of the event on the target's clock
 */
export function toForceReleaseOfHold(
  { key, by, reason }: ScriptEvent,
  { holders: [{ seen, firstSeenMs }] }: ObservedHold,
  at: number,
): ScriptEvent {
  const heldMs = Math.max(0, at - (seen.sinceMs ?? firstSeenMs));
  const { fence } = seen;
  const owner = fence === null ? seen.token : seen.owner;
  return { type: "force_released", key, at, fence, seq: seen.seq + 1, count: 0, heldMs, owner, by, reason };
}

/**
 * Returns whether one master's report of a force-release refers to this holder. Until the masters agree on a fencing
 * token, the token differs between masters. In a RedLock, the owner string also differs between masters.
 *
 * @param vote the last observation on the master that reported the force-release
 */
export function isForceReleaseOf(
  event: ScriptEvent,
  { token, fence, ownersPerMaster = [token] }: SeenHolder,
  vote: ReadableObservation | undefined,
): boolean {
  if (event.fence === null) return ownersPerMaster.some((owner) => toMessageOwner(owner) === event.owner);
  if (event.fence === fence) return true;
  const held = vote?.state === "held" ? vote.holders.find((each) => each.token === token) : undefined;
  return held?.fence === event.fence;
}
