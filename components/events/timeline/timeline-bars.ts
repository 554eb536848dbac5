import type { GapEvent, HistoryEntry, LockEvent } from "@/lib/contract/event.ts";
import type { Kind } from "@/lib/contract/format.ts";
import { isGap } from "@/lib/contract/gap.ts";
import { isEnding } from "../key-history/merge-events.ts";

/** `open`: it is still going on. `unseen`: its end was not told. */
export type BarEnd = "released" | "expired" | "evicted" | "force_released" | "open" | "unseen";

/** One hold. Times are Redis's clock, Unix milliseconds; `from` is never after `to`. */
export interface Bar {
  /** The id of the event that it was first told by. */
  readonly id: string;
  readonly owner: string;
  readonly fence: string | undefined;
  readonly from: number;
  /** at_least: it was already held when it was first told of. */
  readonly fromIs: "exact" | "at_least";
  /** Of an open one: the end of the timeline. Of an unseen one: until when it may have been held at most. */
  readonly to: number;
  readonly end: BarEnd;
  /** The event that ended it. */
  readonly ended: LockEvent | undefined;
}

export interface Lane {
  readonly owner: string;
  /** In the order of time; they do not overlap. */
  readonly bars: readonly Bar[];
}

/** Two holders at one time. */
export interface Overlap {
  readonly from: number;
  readonly to: number;
  readonly bars: readonly [Bar, Bar];
  /** unclear: it is not known whether the lock takes several holders. */
  readonly is: "wrong" | "unclear";
}

export interface Timeline {
  /** Whoever had it last comes first. */
  readonly lanes: readonly Lane[];
  readonly overlaps: readonly Overlap[];
  /** Oldest first. */
  readonly gaps: readonly GapEvent[];
  readonly from: number;
  readonly to: number;
}

/** How many may hold a lock of this kind at one time; null is the kind of a free key. */
export type Takes = "one" | "several" | "unknown";
export function takesOf(kind: Kind | null): Takes {
  if (kind === null) return "unknown";
  return kind === "read" || kind === "write" || kind === "semaphore" || kind === "latch" ? "several" : "one";
}

interface Draft extends Omit<Bar, "to" | "end" | "ended"> {
  ended: LockEvent | undefined;
  /** When it was last told of. */
  lastTold: number;
}

/**
 * The holds that a history tells of, a lane per holder.
 *
 * @param entries newest first  @param now end of the timeline, Unix milliseconds by Redis's clock
 */
export function timelineOf(entries: readonly HistoryEntry[], takes: Takes, now: number): Timeline {
  const story = entries.toReversed().sort((a, b) => a.at - b.at);
  const to = Math.max(now, story.at(-1)?.at ?? now);
  const gaps = story.filter(isGap);
  const drafts = draftsOf(story.filter((entry) => !isGap(entry)));
  const bars = drafts.map((draft) => barOf(draft, drafts, { gaps, takes, to }));
  bars.sort((a, b) => a.from - b.from);
  const from = Math.min(to, ...[bars[0]?.from, gaps[0]?.from].flatMap((at) => at ?? []));
  const lanes = lanesOf(bars);
  return { lanes, overlaps: overlapsOf(inTime(lanes), takes), gaps, from, to };
}

const nameOf = ({ owner = "", fence = "" }: Pick<LockEvent, "owner" | "fence">) => `${fence}\n${owner}`;

function draftsOf(story: readonly LockEvent[]): Draft[] {
  const drafts: Draft[] = [];
  const open = new Map<string, Draft>();
  for (const event of story) {
    if (event.type === "waiting" || event.type === "wait_ended") continue;
    const name = nameOf(event);
    const known = open.get(name) ?? (isEnding(event) ? likelyOf(event, open) : undefined);
    const draft = known ?? begun(event);
    if (known === undefined) drafts.push(draft);
    draft.lastTold = event.at;
    if (!isEnding(event)) open.set(name, draft);
    else {
      draft.ended = event;
      open.delete(nameOf(draft));
    }
  }
  return drafts;
}

/** An end is at times told without the fence, or without the owner, where that leaves no doubt. */
function likelyOf({ owner, fence }: LockEvent, open: ReadonlyMap<string, Draft>): Draft | undefined {
  const [only, second] = [...open.values()].filter(
    (draft) =>
      (owner === undefined || draft.owner === owner) &&
      (fence === undefined || draft.fence === undefined || draft.fence === fence),
  );
  return second === undefined ? only : undefined;
}

function begun(event: LockEvent): Draft {
  const { id, type, at, owner = "", fence, heldMs } = event;
  const isTold = type === "acquired" || type === "recreated";
  const from = isEnding(event) ? at - Math.max(0, heldMs ?? 0) : at;
  const fromIs = isTold || (isEnding(event) && heldMs !== undefined) ? "exact" : "at_least";
  return { id, owner, fence, from, fromIs, ended: undefined, lastTold: at };
}

interface Around {
  readonly gaps: readonly GapEvent[];
  readonly takes: Takes;
  readonly to: number;
}

function barOf(draft: Draft, all: readonly Draft[], { gaps, takes, to }: Around): Bar {
  const { lastTold, ended, ...told } = draft;
  if (ended !== undefined) return { ...told, to: ended.at, end: endOf(ended), ended };
  // A fence is never given again, so whoever had an older one has lost the lock.
  const ousts = ({ fence, owner }: Draft) => takes === "one" || fence !== undefined || owner === draft.owner;
  const next = all.find(
    (other) => other !== draft && other.from >= lastTold && other.from > draft.from && ousts(other),
  );
  if (next === undefined) return { ...told, to, end: "open", ended };
  const gap = gaps.find(({ from, to: until }) => from >= lastTold && until <= next.from);
  return { ...told, to: gap?.from ?? next.from, end: "unseen", ended };
}

function endOf({ type }: LockEvent): BarEnd {
  return type === "expired" || type === "evicted" || type === "force_released" ? type : "released";
}

/** All bars in the order of their beginnings. */
export function inTime(lanes: readonly Lane[]): Bar[] {
  return lanes.flatMap(({ bars }) => bars).sort((a, b) => a.from - b.from);
}

/** @param bars in the order of their beginnings */
function lanesOf(bars: readonly Bar[]): Lane[] {
  const lanes = new Map<string, Bar[]>();
  for (const bar of bars) {
    const lane = lanes.get(bar.owner);
    const before = lane?.at(-1);
    if (lane === undefined || before === undefined) lanes.set(bar.owner, [bar]);
    else {
      // One holder is not beside itself: what was told late of the hold before is cut at the next one's beginning.
      lane[lane.length - 1] = { ...before, to: Math.min(before.to, bar.from) };
      lane.push(bar);
    }
  }
  return [...lanes]
    .map(([owner, bars]) => ({ owner, bars }))
    .sort((a, b) => (b.bars.at(-1)?.to ?? 0) - (a.bars.at(-1)?.to ?? 0));
}

/** @param bars in the order of their beginnings */
function overlapsOf(bars: readonly Bar[], takes: Takes): Overlap[] {
  if (takes === "several") return [];
  const overlaps: Overlap[] = [];
  let going: Bar[] = [];
  for (const bar of bars) {
    going = going.filter(({ to }) => to > bar.from);
    for (const other of going) {
      const to = Math.min(bar.to, other.to);
      if (other.owner === bar.owner || to <= bar.from) continue;
      const isFenced = bar.fence !== undefined || other.fence !== undefined;
      overlaps.push({
        ...{ from: bar.from, to, bars: [other, bar] },
        is: takes === "one" || isFenced ? "wrong" : "unclear",
      });
    }
    going.push(bar);
  }
  return overlaps;
}
