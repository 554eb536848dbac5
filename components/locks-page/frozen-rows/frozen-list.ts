import { pathOf } from "@/components/lock-facts/lock-path.ts";
import type { LockEvent } from "@/lib/contract/event.ts";
import type { KeptLock, LiveWindow } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";

/** `reading`: the order holds still and values go on. `paused`: so does who holds what. */
export type Stillness = "reading" | "paused";

/** How a row that is still shown came to its end: the event, or that nobody told, or that its key is another's by now. */
export type RowEnd = LockEvent | "untold" | "taken_anew";

export interface HeldRow {
  path: string;
  /** As it is, or as it was last. */
  lock: Lock;
  end: RowEnd | null;
}

/** Rows that stay where they are while the list goes on. */
export interface HeldList {
  filter: string;
  sort: string;
  /** Of the window that it was taken from. */
  windowOffset: number;
  /** Place of the first row in the whole list. */
  offset: number;
  rows: readonly HeldRow[];
  /** How many rows the whole list has, with those that have ended. */
  total: number;
}

export interface Newer {
  latest: LiveWindow;
  /** By path: rows that are held here and not in the window any more. */
  kept: ReadonlyMap<string, KeptLock> | undefined;
  /** The rows on screen, from the first place to the last. */
  visible: readonly [first: number, last: number];
  stillness: Stillness;
}

export function heldFrom(latest: LiveWindow): HeldList {
  const { filter, sort, offset, items, total } = latest;
  const rows = items.map((lock) => ({ path: pathOf(lock), lock, end: null }));
  return { filter, sort, windowOffset: offset, offset, rows, total };
}

/**
 * The list after a newer window. Rows on screen keep their places, whatever comes and goes; another filter or order is
 * another list. @returns the very same list when nothing has changed
 */
export function heldAfter(held: HeldList, { latest, kept, visible, stillness }: Newer): HeldList {
  const isOther = latest.filter !== held.filter || latest.sort !== held.sort;
  if (isOther || (held.rows.length === 0 && latest.items.length > 0)) return heldFrom(latest);
  const there = latest.offset === held.windowOffset ? held : scrolled(held, latest, visible);
  const now = new Map(latest.items.map((lock) => [pathOf(lock), lock]));
  const rows = there.rows.map((row) => rowAfter(row, now.get(row.path), kept?.get(row.path), stillness));
  return rows.every((row, at) => row === there.rows[at]) ? there : { ...there, rows };
}

/** A window of other places: rows on screen stay where they are, all others come as they are now. */
function scrolled(held: HeldList, latest: LiveWindow, [first, last]: Newer["visible"]): HeldList {
  const staying = held.rows.flatMap((row, at) => {
    const place = held.offset + at;
    const isOnScreen = place >= first && place <= last && place >= latest.offset;
    return isOnScreen ? [{ row, place }] : [];
  });
  const [top] = staying;
  if (top === undefined) return heldFrom(latest);
  const paths = new Set(staying.map(({ row }) => row.path));
  const others = heldFrom(latest).rows.filter(({ path }) => !paths.has(path));
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

function rowAfter(
  row: HeldRow,
  inWindow: Lock | undefined,
  kept: KeptLock | undefined,
  stillness: Stillness,
): HeldRow {
  const told = inWindow ?? kept?.lock;
  if (told === undefined) return row;
  if (told.state === "free") return endedRow(row, kept?.ended);
  const isSame = isSameHold(row.lock, told);
  if (stillness === "paused" && !isSame) return row.end === null ? { ...row, end: "taken_anew" } : row;
  if (row.end === null && row.lock === told) return row;
  return { ...row, lock: told, end: null };
}

/** Clocks of several masters differ by no more. */
const CLOCKS_APART_MS = 1000;

function endedRow(row: HeldRow, ended: LockEvent | undefined): HeldRow {
  // What ended an older hold of the key says nothing of this one.
  const isOfThis = ended !== undefined && ended.at >= row.lock.asOf - CLOCKS_APART_MS;
  const end = isOfThis ? ended : (row.end ?? "untold");
  return end === row.end || isSameEnd(end, row.end) ? row : { ...row, end };
}

function isSameEnd(one: RowEnd, other: RowEnd | null): boolean {
  if (typeof one === "string" || typeof other === "string" || other === null) return one === other;
  return one.at === other.at && one.type === other.type;
}

function isSameHold(one: Lock, other: Lock): boolean {
  return one.version === other.version && one.holders[0]?.count === other.holders[0]?.count;
}

/**
 * How many rows have come to these places and have ended since. Rows that only moved into the window, because others
 * did, stand at its edges: they are no news.
 */
export function changesSince(held: HeldList, latest: LiveWindow): number {
  const ended = held.rows.filter(({ end }) => end !== null).length;
  if (latest.filter !== held.filter || latest.sort !== held.sort) return ended;
  const paths = new Set(held.rows.map(({ path }) => path));
  const isKnown = (lock: Lock) => paths.has(pathOf(lock));
  const from = latest.offset === 0 ? 0 : latest.items.findIndex(isKnown);
  const reachesEnd = latest.offset + latest.items.length >= latest.total;
  const lastKnown = latest.items.findLastIndex(isKnown);
  const to = reachesEnd || lastKnown < 0 ? latest.items.length : lastKnown;
  return ended + latest.items.slice(Math.max(0, from), to).filter((lock) => !isKnown(lock)).length;
}
