import type { Holder, Lock, Waiters } from "../../lib/contract/lock.ts";
import { formatDuration } from "./duration.ts";
import type { Style } from "./style.ts";
import { formatTable, type TableColumn } from "./table.ts";

/** Minimum hold time in ms to show for a hold whose start was not observed. A shorter time is shown as unknown. */
const KNOWN_SINCE_MS = 1000;
export const UNKNOWN = "?";

/**
 * Formats how long a holder has held the lock. `≥` means that the lock was already held when it was first observed, `?`
 * that the time is unknown.
 */
export function formatHeld({ since, sinceIs }: Pick<Holder, "since" | "sinceIs">, asOf: number): string {
  if (since === null) return UNKNOWN;
  const heldMs = Math.max(0, asOf - since);
  if (sinceIs !== "at_least") return formatDuration(heldMs);
  return heldMs < KNOWN_SINCE_MS ? UNKNOWN : `≥${formatDuration(heldMs)}`;
}

/** Formats the time until a lock expires. For a lock that is not held, returns its state instead. */
export function formatExpiry({ state, remainingMs }: Pick<Lock, "state" | "remainingMs">): string {
  if (state !== "held") return state;
  return remainingMs === null ? "no TTL" : formatDuration(remainingMs);
}

/**
 * Formats the number of waiters. `~` marks an estimate. `≥` means that additional clients might be polling, `?` that
 * the number is unknown.
 */
export function formatWaiters({ count, known }: Waiters): string {
  if (count === null || (known === "unknown" && count === 0)) return UNKNOWN;
  if (count === 0) return "0";
  const mark = { exact: "", estimated: "~", unknown: "≥" }[known];
  return `${mark}${count}`;
}

/** Formats the owner of the first holder and the number of other holders, such as `worker-1 +2`. */
export function formatOwners(holders: readonly Pick<Holder, "owner">[]): string {
  const [first, ...others] = holders;
  if (first === undefined) return "";
  return others.length === 0 ? first.owner : `${first.owner} +${others.length}`;
}

/**
 * Formats the sum of the holders' re-entrancy counts. For a semaphore, formats the acquired and the total permits, such
 * as `3/10`, or `3/?` if the total is not stored.
 */
export function formatCount({ holders, permits }: Pick<Lock, "holders" | "permits">): string {
  const count = holders.reduce((sum, holder) => sum + holder.count, 0);
  return permits === undefined ? String(count) : `${count}/${permits.total ?? UNKNOWN}`;
}

function paintLiveness({ liveness }: Lock, cell: string, style: Style): string {
  switch (liveness?.state) {
    case "alive":
      return style.green(cell);
    case "overdue":
      return style.red(cell);
    case "no_ttl":
    case "not_renewing":
      return style.yellow(cell);
    default:
      return style.dim(cell);
  }
}

const COLUMNS: readonly TableColumn<Lock>[] = [
  { title: "KEY", format: ({ key }) => key, overflow: "truncate" },
  { title: "OWNER", format: ({ holders }) => formatOwners(holders), overflow: "truncate" },
  {
    title: "HELD",
    format: ({ holders: [first], asOf }) => (first === undefined ? "" : formatHeld(first, asOf)),
    align: "right",
  },
  { title: "EXPIRES", format: formatExpiry, align: "right" },
  {
    title: "COUNT",
    format: formatCount,
    align: "right",
  },
  { title: "WAITERS", format: ({ waiters }) => formatWaiters(waiters), align: "right" },
  {
    title: "FORMAT",
    format: ({ format, confidence }) => `${format ?? ""}${confidence === "certain" ? "" : UNKNOWN}`,
  },
  { title: "LIVENESS", format: ({ liveness }) => liveness?.state ?? "", paint: paintLiveness },
];

export interface LockTableOptions {
  readonly style: Style;
  /** Width of the terminal in columns; `undefined` if the output is not a terminal. */
  readonly columns: number | undefined;
  /** The point in time for which hold times and remaining times are computed, in Unix ms on the Redis clock. */
  readonly asOf: number;
}

/** Formats locks as a table, one lock per line. */
export function formatLockTable(locks: readonly Lock[], { style, columns, asOf }: LockTableOptions): string {
  const current = locks.map((lock) => ageLock(lock, asOf));
  return formatTable(COLUMNS, current, style, columns);
}

/**
 * Returns the lock with its times advanced to `asOf`. The index reads a lock only when the lock changes, so the stored
 * times can be older.
 */
function ageLock(lock: Lock, asOf: number): Lock {
  const ageMs = Math.max(0, asOf - lock.asOf);
  const remainingMs = lock.remainingMs === null ? null : Math.max(0, lock.remainingMs - ageMs);
  return { ...lock, remainingMs, asOf: lock.asOf + ageMs };
}
