import type { HeldObservation, Observation, ReadableObservation } from "../../formats/observation.ts";
import { formatHoldIdentity } from "./vote-tally.ts";

/** What a master showed of the key, and whether that still counts. */
export interface MasterVote {
  readonly seen: ReadableObservation;
  readonly sentAt: number;
  /** When the owner was first seen there, by performance.now(); undefined: it was there before. */
  readonly begunAt: number | undefined;
  /** Redis has reported since that the key was gone. */
  readonly isGone?: true;
  /** Between which moments (performance.now()) it was taken: the middle. */
  readonly at: number;
  /** By how much its master's clock is ahead of ours. */
  readonly clockAheadMs: number;
  /** Of an earlier time of the master's being there it is worth nothing. */
  readonly term: number;
}

/** Names what was decided; that nothing ever was, is that it is free. */
export function formatDecisionIdentity(seen: Observation | undefined): string {
  if (seen === undefined || seen.state === "free" || seen.state === "unreadable") return "";
  if (seen.state === "not_a_lock") return seen.type;
  return `${formatHoldIdentity(seen)}\0${seen.holders.map(({ fence }) => fence).join(" ")}`;
}

/** What a master shows, but for what may change while it does. */
export function formatVoteShape(seen: ReadableObservation): string {
  return "holders" in seen ? `${seen.state} ${formatHoldIdentity(seen)}` : seen.state;
}

/** A vote as it is by now, by our clock. One whose time is over by its own master's is none. */
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
