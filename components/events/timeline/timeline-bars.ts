import type { GapEvent, HistoryEntry, LockEvent, PastHold } from "@/lib/contract/event.ts";
import type { LockKind } from "@/lib/contract/format.ts";
import { isGap } from "@/lib/contract/gap.ts";
import { isHoldEnd } from "../key-history/merge-events.ts";

/**
 * How a hold ended. `open`: the lock is still held at the end of the timeline. `unobserved`: the end was not recorded.
 */
export type HoldBarEnd = "released" | "expired" | "evicted" | "force_released" | "open" | "unobserved";

/** One hold as a bar of the timeline. Times are in Unix milliseconds on the Redis clock. `from` is never after `to`. */
export interface HoldBar {
  /**
   * Id of the first event of the hold. For a bar created from a `PastHold`: owner, fencing token and start, joined by
   * spaces.
   */
  readonly id: string;
  readonly owner: string;
  readonly fence: string | undefined;
  readonly from: number;
  /**
   * `exact`: the hold began at `from`. `at_least`: the start was not observed, so the hold began at or before `from`.
   */
  readonly fromIs: "exact" | "at_least";
  /**
   * The time at which the hold ended. If `end` is `open`, the end of the timeline. If `end` is `unobserved`, an
   * estimate such as the start of the next hold. For a bar created from a `PastHold`, see `toPastHoldBar`.
   */
  readonly to: number;
  readonly end: HoldBarEnd;
  /** The event that ended the hold; `undefined` if `end` is `open` or `unobserved`. */
  readonly ended: LockEvent | undefined;
  /** The release requests for the hold and the holder's responses, oldest first. */
  readonly requests: readonly LockEvent[];
}

export interface HolderLane {
  readonly owner: string;
  /** Holds of the owner, sorted by time, without overlap. */
  readonly bars: readonly HoldBar[];
}

/** A period in which two owners held the lock at the same time. */
export interface Overlap {
  readonly from: number;
  readonly to: number;
  readonly bars: readonly [HoldBar, HoldBar];
  /**
   * `wrong`: the overlap should be impossible, because the lock allows only one holder or because one of the holds has
   * a fencing token. `unclear`: it is unknown whether the lock allows several holders.
   */
  readonly is: "wrong" | "unclear";
}

export interface Timeline {
  /** Lanes sorted by the end of their last bar, latest first. Several lanes can have the same owner. */
  readonly lanes: readonly HolderLane[];
  readonly overlaps: readonly Overlap[];
  /** The gaps in the history, oldest first. */
  readonly gaps: readonly GapEvent[];
  readonly from: number;
  readonly to: number;
}

/** The number of holders that a lock can have at the same time. `unknown`: the kind of the lock is unknown. */
export type HolderCapacity = "one" | "several" | "unknown";
export function getHolderCapacity(kind: LockKind | null): HolderCapacity {
  if (kind === null) return "unknown";
  return kind === "read" || kind === "write" || kind === "semaphore" || kind === "latch" ? "several" : "one";
}

interface HoldBarDraft extends Omit<HoldBar, "to" | "end" | "ended" | "requests"> {
  requests: LockEvent[];
  /** Whether the hold is shared, so that other holds can exist at the same time. */
  isShared: boolean;
  ended: LockEvent | undefined;
  /** The time of the last event of the hold. */
  lastEventAt: number;
}

/**
 * Computes the holds of a lock from its history and groups them into lanes by owner.
 *
 * @param entries newest first
 * @param now Unix milliseconds on the Redis clock. The timeline ends at this time or at the latest event, whichever is
 * later
 */
export function buildTimeline(
  entries: readonly HistoryEntry[],
  capacity: HolderCapacity,
  now: number,
): Timeline {
  const history = entries.toReversed().sort((a, b) => a.at - b.at);
  const to = Math.max(now, history.at(-1)?.at ?? now);
  const gaps = history.filter(isGap);
  const drafts = collectDrafts(history.filter((entry) => !isGap(entry)));
  const bars = drafts.map((draft) => toHoldBar(draft, drafts, { gaps, takes: capacity, to }));
  bars.sort((a, b) => a.from - b.from);
  const from = Math.min(to, ...[bars[0]?.from, gaps[0]?.from].flatMap((at) => at ?? []));
  const lanes = groupBarsByHolder(
    bars,
    new Set(drafts.flatMap(({ id, isShared }) => (isShared ? [id] : []))),
  );
  return { lanes, overlaps: findOverlaps(sortBarsByTime(lanes), capacity), gaps, from, to };
}

const REQUEST_TYPES: ReadonlySet<LockEvent["type"]> = new Set([
  "release_requested",
  "release_request_accepted",
  "release_request_refused",
]);

const getDraftId = ({ owner = "", fence = "" }: Pick<LockEvent, "owner" | "fence">) => `${fence}\n${owner}`;

function collectDrafts(events: readonly LockEvent[]): HoldBarDraft[] {
  const drafts: HoldBarDraft[] = [];
  const open = new Set<HoldBarDraft>();
  for (const event of events) {
    if (event.type === "waiting" || event.type === "wait_ended") continue;
    const known = findDraft(event, open) ?? (isHoldEnd(event) ? findLikelyDraft(event, open) : undefined);
    const draft = known ?? createDraft(event);
    if (known === undefined) drafts.push(draft);
    draft.lastEventAt = event.at;
    if (REQUEST_TYPES.has(event.type)) draft.requests.push(event);
    if (!isHoldEnd(event)) open.add(draft);
    else {
      draft.ended = event;
      open.delete(draft);
    }
  }
  return drafts;
}

/**
 * Finds the open hold with the owner and the fencing token of an event. All readers have the token of the last writer,
 * and several of them can have the same owner label. They are then distinguished by their start times.
 */
function findDraft(event: LockEvent, open: ReadonlySet<HoldBarDraft>): HoldBarDraft | undefined {
  const id = getDraftId(event);
  const same = [...open].filter((draft) => getDraftId(draft) === id);
  const { from, fromIs } = findStart(event);
  const withSameStart = fromIs === "exact" ? same.find((draft) => draft.from === from) : undefined;
  const isOtherHold = event.shared === true && isHoldStart(event);
  return withSameStart ?? (isOtherHold ? undefined : same.at(-1));
}

/**
 * Finds the open hold that matches the owner and the fencing token of an event, either of which can be missing. Returns
 * `undefined` if no hold or more than one hold matches.
 */
function findLikelyDraft(
  { owner, fence }: LockEvent,
  open: ReadonlySet<HoldBarDraft>,
): HoldBarDraft | undefined {
  const [only, second] = [...open].filter(
    (draft) =>
      (owner === undefined || draft.owner === owner) &&
      (fence === undefined || draft.fence === undefined || draft.fence === fence),
  );
  return second === undefined ? only : undefined;
}

const isHoldStart = ({ type }: LockEvent) => type === "acquired" || type === "recreated";

/** Returns when the hold of an event began, as far as the event shows it. */
function findStart(event: LockEvent): Pick<HoldBar, "from" | "fromIs"> {
  const { at, heldMs } = event;
  if (isHoldEnd(event) && heldMs !== undefined) return { from: at - Math.max(0, heldMs), fromIs: "exact" };
  return { from: at, fromIs: isHoldStart(event) ? "exact" : "at_least" };
}

function createDraft(event: LockEvent): HoldBarDraft {
  const { id, at, owner = "", fence, shared } = event;
  const isShared = shared === true;
  const start = findStart(event);
  return { id, owner, fence, ...start, isShared, ended: undefined, requests: [], lastEventAt: at };
}

interface TimelineContext {
  readonly gaps: readonly GapEvent[];
  readonly takes: HolderCapacity;
  readonly to: number;
}

function toHoldBar(
  draft: HoldBarDraft,
  all: readonly HoldBarDraft[],
  { gaps, takes: capacity, to }: TimelineContext,
): HoldBar {
  const { lastEventAt, ended, isShared, ...bar } = draft;
  if (ended !== undefined) return { ...bar, to: ended.at, end: findBarEnd(ended), ended };
  // A later hold with a fencing token shows that this hold has ended, unless both holds are shared. Of two shared holds
  // with the same owner and fencing token, the earlier one has probably ended if nothing was observed of it after a gap.
  const replaces = (other: HoldBarDraft) =>
    isShared && other.isShared
      ? getDraftId(other) === getDraftId(draft) &&
        gaps.some((gap) => gap.from >= lastEventAt && gap.to <= other.from)
      : capacity === "one" || other.fence !== undefined || other.owner === draft.owner;
  const next = all.find(
    (other) => other !== draft && other.from >= lastEventAt && other.from > draft.from && replaces(other),
  );
  if (next === undefined) return { ...bar, to, end: "open", ended };
  const gap = gaps.find(({ from, to: until }) => from >= lastEventAt && until <= next.from);
  return { ...bar, to: gap?.from ?? next.from, end: "unobserved", ended };
}

function findBarEnd({ type }: LockEvent): HoldBarEnd {
  return type === "expired" || type === "evicted" || type === "force_released" ? type : "released";
}

/** Returns the bars of all lanes, sorted by start. */
export function sortBarsByTime(lanes: readonly HolderLane[]): HoldBar[] {
  return lanes.flatMap(({ bars }) => bars).sort((a, b) => a.from - b.from);
}

/**
 * Groups the bars into lanes. Several clients can hold a shared lock with the same owner label. If their holds overlap,
 * they are in different lanes.
 *
 * @param bars sorted by start
 * @param shared the ids of the bars of shared holds
 */
function groupBarsByHolder(bars: readonly HoldBar[], shared: ReadonlySet<string>): HolderLane[] {
  const lanes = new Map<string, [HoldBar, ...HoldBar[]][]>();
  for (const bar of bars) {
    const own = lanes.get(bar.owner) ?? [];
    lanes.set(bar.owner, own);
    const isParallel = (last: HoldBar) => last.to > bar.from && shared.has(last.id) && shared.has(bar.id);
    const lane = own.find((each) => !isParallel(each.at(-1) ?? each[0]));
    if (lane === undefined) own.push([bar]);
    else {
      // Other holds of one owner cannot overlap. If the end of a hold was recorded late, its bar ends at the start of
      // the next hold.
      const last = lane.at(-1) ?? lane[0];
      lane[lane.length - 1] = { ...last, to: Math.min(last.to, bar.from) };
      lane.push(bar);
    }
  }
  return [...lanes]
    .flatMap(([owner, own]) => own.map((each) => ({ owner, bars: each })))
    .sort((a, b) => (b.bars.at(-1)?.to ?? 0) - (a.bars.at(-1)?.to ?? 0));
}

/** @param bars sorted by start */
function findOverlaps(bars: readonly HoldBar[], capacity: HolderCapacity): Overlap[] {
  if (capacity === "several") return [];
  const overlaps: Overlap[] = [];
  let current: HoldBar[] = [];
  for (const bar of bars) {
    current = current.filter(({ to }) => to > bar.from);
    for (const other of current) {
      const to = Math.min(bar.to, other.to);
      if (other.owner === bar.owner || to <= bar.from) continue;
      const isFenced = bar.fence !== undefined || other.fence !== undefined;
      overlaps.push({
        ...{ from: bar.from, to, bars: [other, bar] },
        is: capacity === "one" || isFenced ? "wrong" : "unclear",
      });
    }
    current.push(bar);
  }
  return overlaps;
}

/**
 * Converts a past hold to a bar. The bar ends when the hold ended or was last observed. If neither time is known, the
 * bar ends at its start.
 */
export function toPastHoldBar({
  owner,
  fence,
  since,
  sinceIs,
  until,
  lastSeen,
  end,
  ended,
}: PastHold): HoldBar {
  return {
    ...{ id: `${owner} ${fence} ${since}`, owner, fence, from: since, fromIs: sinceIs, ended, requests: [] },
    to: until ?? lastSeen ?? since,
    end: ended === undefined ? (end === "open" ? "open" : "unobserved") : findBarEnd(ended),
  };
}
