import { formatNumber } from "@/components/ui/format-duration.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";

/** Separator between the facts in a line, the same in every language. */
export const PART_SEPARATOR = " · ";

type KindMessages = Messages["lockKinds"];

/**
 * Returns the number of acquired permits and the total; `null` if the lock is not a semaphore or Redis does not store
 * the total.
 */
export function getPermitUse({ permits }: Lock): { acquired: number; total: number } | null {
  if (permits === undefined || permits.total === null) return null;
  return { acquired: permits.total - permits.available, total: permits.total };
}

/**
 * Summarizes the holders of a lock that several clients can share: acquired or available permits, the count of a latch,
 * or the number of readers. Returns `null` if showing the holder's name is sufficient.
 */
export function summarizeHolders(lock: Lock, messages: KindMessages): string | null {
  const { kind, holders } = lock;
  const use = getPermitUse(lock);
  if (kind === "semaphore") {
    if (use !== null) return messages.permits(formatNumber(use.acquired), formatNumber(use.total));
    return lock.permits === undefined
      ? null
      : messages.permitsAvailable(formatNumber(lock.permits.available));
  }
  if (kind === "latch") return messages.latchCount(formatNumber(holders[0]?.count ?? 0));
  return kind === "read" && holders.length > 1
    ? messages.readers(holders.length, formatNumber(holders.length))
    : null;
}

/**
 * Describes the kind of a lock for a row. For a fair lock, includes the length of its queue. Returns `null` for a plain
 * lock or an unknown kind.
 */
export function describeKind({ kind, holders, waiters }: Lock, messages: KindMessages): string | null {
  if (kind === null || kind === "lock") return null;
  if (kind === "read" && holders.length === 1) return messages.readers(1, formatNumber(1));
  if (kind === "write") return messages.writer;
  const name = messages.names[kind];
  if (kind !== "fair" || !waiters.count) return name;
  return [name, messages.inQueue(formatNumber(waiters.count))].join(PART_SEPARATOR);
}
