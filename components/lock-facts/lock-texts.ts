import { MIN_HOLD_RESERVER, parseReservedOwner } from "@/lib/contract/actions/reservation.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";

type LockMessages = Messages["lock"];

/** Splits a key into its namespace and its last segment: `lock:orders:42` into `lock:orders:` and `42`. */
export function splitKey(key: string): { namespace: string; rest: string } {
  const cut = key.slice(0, -1).lastIndexOf(":") + 1;
  return { namespace: key.slice(0, cut), rest: key.slice(cut) };
}

/** Returns the time until the lock expires, in ms; `null` if the lock has no TTL. */
export function computeRemainingMs(lock: Lock, now: number | null): number | null {
  if (lock.remainingMs === null) return null;
  if (now === null) return lock.remainingMs;
  return Math.min(lock.remainingMs, Math.max(0, lock.remainingMs - (now - lock.asOf)));
}

/**
 * Returns the time in ms until the holder `only` expires, or until the lock expires if `only` is `undefined`. Returns
 * `null` if there is no TTL.
 */
export function computeSubjectRemainingMs(lock: Lock, only: Holder | undefined, now: number): number | null {
  if (only === undefined) return computeRemainingMs(lock, now);
  return only.remainingMs === null ? null : Math.max(0, only.remainingMs - Math.max(0, now - lock.asOf));
}

/**
 * Maximum rounding error of deadlines in ms. Some libraries store deadlines in seconds, so a smaller difference is not
 * a grace period.
 */
const TIMESTAMP_ROUNDING_MS = 2000;

/** Returns the grace period of the lock in ms; `null` if there is none or the lock has several holders. */
export function getGraceMs(lock: Lock): number | null {
  const [holder, second] = lock.holders;
  // With several holders, the difference is not a grace period: the lock expires with the last holder.
  if (second !== undefined) return null;
  if (holder === undefined || holder.remainingMs === null || lock.remainingMs === null) return null;
  const graceMs = lock.remainingMs - holder.remainingMs;
  return graceMs > (lock.format === "timestamp" ? TIMESTAMP_ROUNDING_MS : 0) ? graceMs : null;
}

/**
 * Returns the remaining lease of the holder in ms; 0 during the grace period. Returns `null` if the lock has no grace
 * period.
 */
export function computeOwnRemainingMs(lock: Lock, now: number | null): number | null {
  const graceMs = getGraceMs(lock);
  if (graceMs === null) return null;
  return Math.max(0, (computeRemainingMs(lock, now) ?? 0) - graceMs);
}

export interface HeldTime {
  ms: number;
  /** Whether `ms` is a minimum, because the hold had already started when Lockkeeper first observed it. */
  atLeast: boolean;
}

/** Returns how long a holder has held the lock; `null` if the start of the hold or the current time is unknown. */
export function computeHeldTime(holder: Holder, now: number | null): HeldTime | null {
  if (holder.since === null || now === null) return null;
  return { ms: Math.max(0, now - holder.since), atLeast: holder.sinceIs === "at_least" };
}

export interface HolderLabel {
  who: string;
  where: string | undefined;
}

/**
 * Returns the name of a holder from its owner record: the service and the host, as far as they are known, or else the
 * purpose. Returns `null` if the record contains none of these.
 */
export function getHolderLabel(holder: Pick<Holder, "record">): HolderLabel | null {
  const { service, host, purpose } = holder.record ?? {};
  if (service !== undefined) return { who: service, where: host };
  if (host !== undefined) return { who: host, where: undefined };
  return purpose === undefined ? null : { who: purpose, where: undefined };
}

/**
 * A hold that prevents clients from acquiring the lock: a reservation by the operator `by`, or the remainder of a
 * minimum hold time (`by` is `null`).
 */
export interface ReservedHold {
  by: string | null;
}

/** Parses the owner string of a reservation or a minimum hold time. Returns `null` for the owner of any other hold. */
export function parseReservedHold(owner: string): ReservedHold | null {
  const who = parseReservedOwner(owner);
  if (who === undefined) return null;
  return { by: who === MIN_HOLD_RESERVER ? null : who };
}

/** Describes a holder as a phrase within a sentence. */
export function formatHolder(
  holder: Holder,
  messages: Pick<LockMessages, "theReservation" | "minimumHold" | "reservedBy" | "onHostText">,
): string {
  const reservation = parseReservedHold(holder.owner);
  if (reservation !== null) return messages.theReservation(formatReservedHold(reservation, messages));
  const name = getHolderLabel(holder);
  if (name === null) return holder.owner;
  return name.where === undefined ? name.who : messages.onHostText(name.who, name.where);
}

export function formatReservedHold(
  { by }: ReservedHold,
  messages: Pick<LockMessages, "minimumHold" | "reservedBy">,
): string {
  return by === null ? messages.minimumHold : messages.reservedBy(by);
}

const REDISSON_OWNER = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:(-?\d+)$/;
/** Returns the thread ID in a Redisson owner string, `<client uuid>:<thread id>`; `undefined` for any other owner. */
export function parseThreadId(owner: string): string | undefined {
  return REDISSON_OWNER.exec(owner)?.[1];
}

/** Returns the sum of all holders' re-entrancy counts. For a semaphore, returns the number of acquired permits. */
export function countHolds({ holders }: Lock): number {
  return holders.reduce((sum, { count }) => sum + count, 0);
}
