import type { HistoryEntry, LockEvent, PastHold } from "../../lib/contract/event.ts";
import { isGap } from "../../lib/contract/gap.ts";
import { classifyStep } from "./events/timeline-step.ts";

interface OpenHold {
  readonly owner: string;
  readonly fence: string | undefined;
  readonly isShared: boolean;
  readonly since: number;
  readonly sinceIs: PastHold["sinceIs"];
  /** Start of the gap since which the hold has not been observed (Unix ms). `undefined` if there was no gap. */
  gapFrom: number | undefined;
}

/** The open holds by name. Only readers with the same owner label have a common name. */
type OpenHolds = Map<string, readonly OpenHold[]>;

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
  const open: OpenHolds = new Map();
  const ended: PastHold[] = [];
  for (const entry of timeline) {
    if (isGap(entry)) {
      for (const hold of [...open.values()].flat()) hold.gapFrom ??= entry.from;
      continue;
    }
    const name = findHoldName(open, entry);
    if (classifyStep(entry) === "ended") ended.push(endHold(entry, removeEndedHold(open, name, entry)));
    else ended.push(...applyHeld(open, name, entry));
  }
  return [...ended, ...[...open.values()].flat().map(toOpenPastHold)].sort((a, b) => a.since - b.since);
}

/**
 * Returns a string that identifies the hold of an event among the holds of its key. The owner alone is not sufficient,
 * because several holds can have the same owner. The fencing token alone is not sufficient either, because all readers
 * of a lock share one.
 */
function findHoldName(open: OpenHolds, { fence, owner = "", shared }: LockEvent): string {
  if (fence === undefined) return `\n${owner}`;
  const sharedName = `${fence}\n${owner}`;
  // The event that ends the hold of a semaphore does not always have `shared`.
  return shared === true || (open.has(sharedName) && !open.has(fence)) ? sharedName : fence;
}

/** Removes and returns the open hold that an event ended. Returns `undefined` if the start is not in the timeline. */
function removeEndedHold(open: OpenHolds, name: string, entry: LockEvent): OpenHold | undefined {
  const holds = open.get(name) ?? [];
  const hold = findEndedHold(holds, entry);
  const rest = holds.filter((one) => one !== hold);
  if (rest.length === 0) open.delete(name);
  else open.set(name, rest);
  return hold;
}

function findEndedHold(holds: readonly OpenHold[], event: LockEvent): OpenHold | undefined {
  if (!hasSharedFence(event) || event.heldMs === undefined) return holds[0];
  const start = event.at - event.heldMs;
  return holds.find(({ since }) => since === start) ?? holds.find(({ sinceIs }) => sinceIs === "at_least");
}

/** Applies an event after which the hold still exists. Returns the holds that must have ended before. */
function applyHeld(open: OpenHolds, name: string, entry: LockEvent): PastHold[] {
  // Fencing tokens are never reused. If a hold begins, all other open holds have therefore ended unobserved, unless
  // they share the lock with this hold.
  const begins = classifyStep(entry) === "begun" && entry.fence !== undefined;
  const ended = begins ? endUnseenHolds(open, name, entry) : [];
  const holds = open.get(name) ?? [];
  const continued = findContinuedHold(holds, entry);
  if (continued !== undefined) {
    continued.gapFrom = undefined;
    return ended;
  }
  const isShared = hasSharedFence(entry);
  open.set(name, [...(isShared ? holds : []), startHold(entry)]);
  return isShared ? ended : [...ended, ...holds.map(toOpenPastHold)];
}

/** Returns the open hold that an event shows to exist. Returns `undefined` if the event is about another hold. */
function findContinuedHold(holds: readonly OpenHold[], entry: LockEvent): OpenHold | undefined {
  const { type, at, fence } = entry;
  const unconfirmed = holds.filter(({ gapFrom }) => gapFrom !== undefined);
  if (hasSharedFence(entry)) {
    if (isStart(entry)) return unconfirmed.find(({ since }) => since === at);
    return type === "seen" ? unconfirmed[0] : (holds.find((one) => !unconfirmed.includes(one)) ?? holds[0]);
  }
  // An owner without a fencing token can release the lock during a gap and acquire it again.
  const isNext = (from: number) => isStart(entry) && fence === undefined && at >= from;
  return holds.find(({ gapFrom }) => gapFrom === undefined || !isNext(gapFrom));
}

/** Returns whether the event is about a permit hold or a reader of Lockkeeper. */
function hasSharedFence({ fence, shared }: LockEvent): boolean {
  return fence !== undefined && shared === true;
}

function isStart({ type }: LockEvent): boolean {
  return type === "acquired" || type === "recreated";
}

function startHold(event: LockEvent): OpenHold {
  const { at, owner = "", fence, shared } = event;
  return {
    owner,
    fence,
    isShared: shared === true,
    since: at,
    sinceIs: isStart(event) ? "exact" : "at_least",
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

function endUnseenHolds(open: OpenHolds, but: string, { shared }: LockEvent): PastHold[] {
  const gone = [...open].filter(
    ([name, holds]) => name !== but && !(shared === true && holds.every(({ isShared }) => isShared)),
  );
  for (const [name] of gone) open.delete(name);
  return gone.flatMap(([, holds]) => holds.map((hold) => ({ ...toOpenPastHold(hold), end: "unobserved" })));
}

function toOpenPastHold({ owner, fence, since, sinceIs, gapFrom }: OpenHold): PastHold {
  const named = { owner, ...(fence === undefined ? {} : { fence }), since, sinceIs };
  if (gapFrom === undefined) return { ...named, until: null, end: "open" };
  return { ...named, until: null, end: "unobserved", lastSeen: gapFrom };
}
