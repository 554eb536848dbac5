import type { ReadableObservation, SeenHolder } from "../../formats/observation.ts";
import { type ScriptEvent, toMessageOwner } from "../connection/script-event.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";

/** What one master reports of its vote, as the force-release of the hold. @param at by the clock of the target */
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
 * Whether a master that reports a force-release reports it of this holder. Until the masters have agreed on a fencing
 * token, each has one of its own; of a RedLock each has an owner of its own.
 *
 * @param vote what the master showed last
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
