import type { HeldObservation, Observation, ReadableObservation } from "../../formats/observation.ts";
import { formatHoldIdentity } from "./vote-tally.ts";

/**
 * What a read that is the first to show a vote proves about the start of the vote. `seen`: Lockkeeper observes all
 * changes on the master, so the vote has just begun. `initial_scan`: the first scan of the master found the vote.
 */
export type VoteBegin = "seen" | "unknown" | "initial_scan";

/** The last observation of a key on one master, and the data that determines whether this vote still counts. */
export interface MasterVote {
  readonly seen: ReadableObservation;
  readonly sentAt: number;
  /**
   * Time (`performance.now()`) when the owner was first observed on the master. `undefined` if the owner may have held
   * the lock earlier.
   */
  readonly begunAt: number | undefined;
  readonly begin: VoteBegin;
  /** Set if Redis reported, after this observation, that the key was removed. */
  readonly isGone?: true;
  /** Time (`performance.now()`) of the observation: halfway between request and reply. */
  readonly at: number;
  /** Offset of the master's clock in ms, positive if that clock is ahead of Lockkeeper's clock. */
  readonly clockAheadMs: number;
  /**
   * Connection term of the master at the time of the read (see `Voter.term`). Votes from earlier terms do not count.
   */
  readonly term: number;
}

/** Returns a string that identifies a decision. The absence of a decision has the same string as `free`. */
export function formatDecisionIdentity(seen: Observation | undefined): string {
  if (seen === undefined || seen.state === "free" || seen.state === "unreadable") return "";
  if (seen.state === "not_a_lock") return seen.type;
  return `${formatHoldIdentity(seen)}\0${seen.holders.map(({ fence }) => fence).join(" ")}`;
}

/** Returns a string that identifies a vote. It contains only fields that do not change during a hold. */
export function formatVoteShape(seen: ReadableObservation): string {
  return "holders" in seen ? `${seen.state} ${formatHoldIdentity(seen)}` : seen.state;
}

/**
 * Returns the observation in a vote, with its times updated to the present.
 *
 * A hold that has expired since the read becomes `ended`.
 *
 * @param asOf the current time on Lockkeeper's clock
 */
export function projectVoteTo(asOf: number, { seen, at, clockAheadMs }: MasterVote): ReadableObservation {
  if (seen.state !== "held") return { ...seen, asOf };
  const agoMs = Math.max(0, Math.round(performance.now() - at));
  const left = (ms: number | null) => (ms === null ? null : ms - agoMs);
  const remainingMs = left(seen.remainingMs);
  if (remainingMs !== null && remainingMs <= 0) return { ...seen, state: "ended", asOf, remainingMs };
  const holder = (one: HeldObservation["holders"][0]) => ({
    ...one,
    sinceMs:
      one.sinceMs === null || one.sinceIs === "reported"
        ? one.sinceMs
        : Math.round(one.sinceMs - clockAheadMs),
    ...(one.ownRemainingMs === undefined ? {} : { ownRemainingMs: left(one.ownRemainingMs) }),
  });
  const [first, ...others] = seen.holders;
  return { ...seen, asOf, remainingMs, holders: [holder(first), ...others.map(holder)] };
}
