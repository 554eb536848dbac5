import type { HistoryEntry, LockEvent, PastHold } from "../../lib/contract/event.ts";
import { isGap } from "../../lib/contract/gap.ts";
import { classifyStep } from "./events/recorded-timeline.ts";

interface OpenHold {
  readonly owner: string;
  readonly fence: string | undefined;
  readonly since: number;
  readonly sinceIs: PastHold["sinceIs"];
  /** Start of a gap after which the hold has not been observed. */
  gapFrom: number | undefined;
}

/**
 * Returns the holds of a key at a point in time.
 *
 * @param timeline events of the key and gaps, oldest first
 */
export function findHoldsAt(timeline: readonly HistoryEntry[], at: number): PastHold[] {
  return listPastHolds(timeline).filter(({ since, until }) => since <= at && (until === null || at < until));
}

/** Returns all holds in a timeline, by start time. */
export function listPastHolds(timeline: readonly HistoryEntry[]): PastHold[] {
  const open = new Map<string, OpenHold>();
  const ended: PastHold[] = [];
  for (const entry of timeline) {
    if (isGap(entry)) {
      for (const hold of open.values()) hold.gapFrom ??= entry.from;
      continue;
    }
    // Several holds may have the same owner label. Fencing tokens are unique.
    const name = entry.fence ?? `\n${entry.owner ?? ""}`;
    const before = open.get(name);
    const step = classifyStep(entry);
    if (step === "ended") {
      open.delete(name);
      ended.push(endHold(entry, before));
    } else {
      // Holds with a fencing token are exclusive and tokens are never reused, so any other open hold has ended
      // unobserved.
      if (step === "begun" && entry.fence !== undefined) ended.push(...endUnseenHolds(open, name));
      if (before === undefined) open.set(name, startHold(entry));
      else before.gapFrom = undefined;
    }
  }
  return [...ended, ...[...open.values()].map(toOpenPastHold)].sort((a, b) => a.since - b.since);
}

function startHold({ type, at, owner = "", fence }: LockEvent): OpenHold {
  const isBeginning = type === "acquired" || type === "recreated";
  return { owner, fence, since: at, sinceIs: isBeginning ? "exact" : "at_least", gapFrom: undefined };
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

function endUnseenHolds(open: Map<string, OpenHold>, but: string): PastHold[] {
  const gone = [...open].filter(([name]) => name !== but);
  for (const [name] of gone) open.delete(name);
  return gone.map(([, hold]) => ({ ...toOpenPastHold(hold), end: "unobserved" }));
}

function toOpenPastHold({ owner, fence, since, sinceIs, gapFrom }: OpenHold): PastHold {
  const named = { owner, ...(fence === undefined ? {} : { fence }), since, sinceIs };
  if (gapFrom === undefined) return { ...named, until: null, end: "open" };
  return { ...named, until: null, end: "unobserved", lastSeen: gapFrom };
}
