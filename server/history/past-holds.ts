import type { HistoryEntry, LockEvent, PastHold } from "../../lib/contract/event.ts";
import { isGap } from "../../lib/contract/gap.ts";
import { classifyStep } from "./events/recorded-timeline.ts";

interface OpenHold {
  readonly owner: string;
  readonly fence: string | undefined;
  readonly isShared: boolean;
  readonly since: number;
  readonly sinceIs: PastHold["sinceIs"];
  /** Start of the gap since which the hold has not been observed (Unix ms). `undefined` if there was no gap. */
  gapFrom: number | undefined;
}

/**
 * Returns the holds of a key at a point in time.
 *
 * @param timeline events of the key and gaps, oldest first
 * @param at time in Unix ms on the target's clock
 */
export function findHoldsAt(timeline: readonly HistoryEntry[], at: number): PastHold[] {
  return listPastHolds(timeline).filter(({ since, until }) => since <= at && (until === null || at < until));
}

/** Returns all holds in a timeline, in the order of their start times. */
export function listPastHolds(timeline: readonly HistoryEntry[]): PastHold[] {
  const open = new Map<string, OpenHold>();
  const ended: PastHold[] = [];
  for (const entry of timeline) {
    if (isGap(entry)) {
      for (const hold of open.values()) hold.gapFrom ??= entry.from;
      continue;
    }
    const name = findHoldName(open, entry);
    const before = open.get(name);
    const step = classifyStep(entry);
    if (step === "ended") {
      open.delete(name);
      ended.push(endHold(entry, before));
    } else {
      // Fencing tokens are never reused. If a hold begins, all other open holds have therefore ended unobserved, unless
      // they share the lock with this hold.
      if (step === "begun" && entry.fence !== undefined) ended.push(...endUnseenHolds(open, name, entry));
      if (before === undefined) open.set(name, startHold(entry));
      else before.gapFrom = undefined;
    }
  }
  return [...ended, ...[...open.values()].map(toOpenPastHold)].sort((a, b) => a.since - b.since);
}

/**
 * Returns a string that identifies the hold of an event among the holds of its key. The owner alone is not sufficient,
 * because several holds can have the same owner. The fencing token alone is not sufficient either, because all readers
 * of a lock share one.
 */
function findHoldName(open: ReadonlyMap<string, OpenHold>, { fence, owner = "", shared }: LockEvent): string {
  if (fence === undefined) return `\n${owner}`;
  const sharedName = `${fence}\n${owner}`;
  return shared === true || open.has(sharedName) ? sharedName : fence;
}

function startHold({ type, at, owner = "", fence, shared }: LockEvent): OpenHold {
  const isBeginning = type === "acquired" || type === "recreated";
  const isShared = shared === true;
  return {
    owner,
    fence,
    isShared,
    since: at,
    sinceIs: isBeginning ? "exact" : "at_least",
    gapFrom: undefined,
  };
}

function endHold(event: LockEvent, before: OpenHold | undefined): PastHold {
  const { owner = "", fence, at, heldMs } = event;
  const since = before?.since ?? at - (heldMs ?? 0);
  const sinceIs = before?.sinceIs ?? (heldMs === undefined ? "at_least" : "exact");
  return {
    owner,
    ...(fence === undefined ? {} : { fence }),
    since,
    sinceIs,
    until: at,
    end: "recorded",
    ended: event,
  };
}

function endUnseenHolds(open: Map<string, OpenHold>, but: string, { shared }: LockEvent): PastHold[] {
  const gone = [...open].filter(([name, hold]) => name !== but && !(shared === true && hold.isShared));
  for (const [name] of gone) open.delete(name);
  return gone.map(([, hold]) => ({ ...toOpenPastHold(hold), end: "unobserved" }));
}

function toOpenPastHold({ owner, fence, since, sinceIs, gapFrom }: OpenHold): PastHold {
  const named = { owner, ...(fence === undefined ? {} : { fence }), since, sinceIs };
  if (gapFrom === undefined) return { ...named, until: null, end: "open" };
  return { ...named, until: null, end: "unobserved", lastSeen: gapFrom };
}
