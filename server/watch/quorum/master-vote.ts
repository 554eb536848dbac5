import type { Answered, HeldObservation, Observation } from "../../formats/observation.ts";
import { nameOf } from "./vote-tally.ts";

/** What a master showed of the key, and whether that still counts. */
export interface Vote {
  readonly seen: Answered;
  readonly sentAt: number;
  /** Between which moments (performance.now()) it was taken: the middle. */
  readonly at: number;
  /** By how much its master's clock is ahead of ours. */
  readonly aheadMs: number;
  /** Of an earlier time of the master's being there it is worth nothing. */
  readonly term: number;
}

/** Names what was decided; that nothing ever was, is that it is free. */
export function decisionOf(seen: Observation | undefined): string {
  if (seen === undefined || seen.state === "free" || seen.state === "unreadable") return "";
  if (seen.state === "not_a_lock") return seen.type;
  return `${nameOf(seen)}\0${seen.holders.map(({ fence }) => fence).join(" ")}`;
}

/** What a master shows, but for what may change while it does. */
export function shapeOf(seen: Answered): string {
  return "holders" in seen ? `${seen.state} ${nameOf(seen)}` : seen.state;
}

/** A vote as it is by now, by our clock. One whose time is over by its own master's is none. */
export function broughtTo(asOf: number, { seen, at, aheadMs }: Vote): Answered {
  if (seen.state !== "held") return { ...seen, asOf };
  const agoMs = Math.max(0, Math.round(performance.now() - at));
  const left = (ms: number | null) => (ms === null ? null : ms - agoMs);
  const remainingMs = left(seen.remainingMs);
  if (remainingMs !== null && remainingMs <= 0) return { ...seen, state: "ended", asOf, remainingMs };
  const holder = (one: HeldObservation["holders"][0]) => ({
    ...one,
    sinceMs: one.sinceMs === null || one.sinceIs === "told" ? one.sinceMs : Math.round(one.sinceMs - aheadMs),
    ...(one.ownRemainingMs === undefined ? {} : { ownRemainingMs: left(one.ownRemainingMs) }),
  });
  const [first, ...others] = seen.holders;
  return { ...seen, asOf, remainingMs, holders: [holder(first), ...others.map(holder)] };
}
