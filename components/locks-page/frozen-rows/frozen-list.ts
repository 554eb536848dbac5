import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import type { LockEvent } from "@/lib/contract/event.ts";
import type { LiveWindow, PinnedLock } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";

/**
 * Why the list is frozen. `reading`: the operator is reading, so the order is frozen but values are live. `paused`: the
 * operator paused the list, so each row also keeps the hold that it showed.
 */
export type FreezeReason = "reading" | "paused";

/**
 * How the hold of a frozen row ended: the event that ended it, `unknown` if no event is known, or `reacquired` if
 * another hold of the lock has replaced it.
 */
export type RowEnding = LockEvent | "unknown" | "reacquired";

export interface FrozenRow {
  path: string;
  /** The latest known state of the lock. If the hold has ended, the last known state before it ended. */
  lock: Lock;
  end: RowEnding | null;
}

/** A copy of the loaded part of the list. Its visible rows stay in place while the live list changes. */
export interface FrozenList {
  filter: string;
  sort: string;
  /** Offset, in the whole list, of the window from which the rows were taken. */
  windowOffset: number;
  /** Index, in the whole list, of the first row in `rows`. */
  offset: number;
  rows: readonly FrozenRow[];
  /** Number of rows in the whole list when it was frozen or when its window last moved. */
  total: number;
}

export interface ListUpdate {
  latest: LiveWindow;
  /** The latest states of frozen rows outside the window, by path. */
  pinned: ReadonlyMap<string, PinnedLock> | undefined;
  /** Indexes of the first and the last visible row in the whole list. */
  visible: readonly [first: number, last: number];
  freezeReason: FreezeReason;
}

export function freezeList(latest: LiveWindow): FrozenList {
  const { filter, sort, offset, items, total } = latest;
  const rows = items.map((lock) => ({ path: toLockPath(lock), lock, end: null }));
  return { filter, sort, windowOffset: offset, offset, rows, total };
}

/**
 * Updates a frozen list with a newer window. Visible rows stay in place. Replaces the whole list if the filter or the
 * sort order has changed, if the list was empty, or if the newer window starts after the last visible row.
 * @returns the updated list; the same object if nothing changed
 */
export function updateFrozenList(
  held: FrozenList,
  { latest, pinned, visible, freezeReason }: ListUpdate,
): FrozenList {
  const isOther = latest.filter !== held.filter || latest.sort !== held.sort;
  if (isOther || (held.rows.length === 0 && latest.items.length > 0)) return freezeList(latest);
  const there = latest.offset === held.windowOffset ? held : scrollFrozenList(held, latest, visible);
  const now = new Map(latest.items.map((lock) => [toLockPath(lock), lock]));
  const rows = there.rows.map((row) =>
    updateRow(row, now.get(row.path), pinned?.get(row.path), freezeReason),
  );
  return rows.every((row, at) => row === there.rows[at]) ? there : { ...there, rows };
}

/**
 * Updates a frozen list with a window that has a different offset. Visible rows stay in place, and all other rows are
 * replaced.
 */
function scrollFrozenList(
  held: FrozenList,
  latest: LiveWindow,
  [first, last]: ListUpdate["visible"],
): FrozenList {
  const staying = held.rows.flatMap((row, at) => {
    const place = held.offset + at;
    const isOnScreen = place >= first && place <= last && place >= latest.offset;
    return isOnScreen ? [{ row, place }] : [];
  });
  const [top] = staying;
  if (top === undefined) return freezeList(latest);
  const paths = new Set(staying.map(({ row }) => row.path));
  const others = freezeList(latest).rows.filter(({ path }) => !paths.has(path));
  const before = others.slice(0, top.place - latest.offset);
  const rows = [...before, ...staying.map(({ row }) => row), ...others.slice(before.length)];
  const offset = top.place - before.length;
  return {
    ...held,
    windowOffset: latest.offset,
    offset,
    rows,
    total: Math.max(latest.total, offset + rows.length),
  };
}

function updateRow(
  row: FrozenRow,
  inWindow: Lock | undefined,
  pinned: PinnedLock | undefined,
  freezeReason: FreezeReason,
): FrozenRow {
  const latest = inWindow ?? pinned?.lock;
  if (latest === undefined) return row;
  if (latest.state === "free") return markRowEnded(row, pinned?.ended);
  const isSame = isSameHold(row.lock, latest);
  if (freezeReason === "paused" && !isSame) return row.end === null ? { ...row, end: "reacquired" } : row;
  if (row.end === null && row.lock === latest) return row;
  return { ...row, lock: latest, end: null };
}

/** Maximum expected difference between the clocks of masters, in ms. */
const CLOCK_SKEW_MAX_MS = 1000;

function markRowEnded(row: FrozenRow, ended: LockEvent | undefined): FrozenRow {
  // Ignores an event that ended an earlier hold of the key.
  const isOfThis = ended !== undefined && ended.at >= row.lock.asOf - CLOCK_SKEW_MAX_MS;
  const end = isOfThis ? ended : (row.end ?? "unknown");
  return end === row.end || isSameEnding(end, row.end) ? row : { ...row, end };
}

function isSameEnding(one: RowEnding, other: RowEnding | null): boolean {
  if (typeof one === "string" || typeof other === "string" || other === null) return one === other;
  return one.at === other.at && one.type === other.type;
}

function isSameHold(one: Lock, other: Lock): boolean {
  return one.version === other.version && one.holders[0]?.count === other.holders[0]?.count;
}

/**
 * Counts the rows that were added, or whose hold ended, since the list was frozen. Ignores new rows at an edge of the
 * window that is not the start or the end of the list, because they may only have moved into the window.
 */
export function countChanges(held: FrozenList, latest: LiveWindow): number {
  const ended = held.rows.filter(({ end }) => end !== null).length;
  if (latest.filter !== held.filter || latest.sort !== held.sort) return ended;
  const paths = new Set(held.rows.map(({ path }) => path));
  const isKnown = (lock: Lock) => paths.has(toLockPath(lock));
  const from = latest.offset === 0 ? 0 : latest.items.findIndex(isKnown);
  const reachesEnd = latest.offset + latest.items.length >= latest.total;
  const lastKnown = latest.items.findLastIndex(isKnown);
  const to = reachesEnd || lastKnown < 0 ? latest.items.length : lastKnown;
  return ended + latest.items.slice(Math.max(0, from), to).filter((lock) => !isKnown(lock)).length;
}
