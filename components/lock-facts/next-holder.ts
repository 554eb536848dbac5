import type { Waiters } from "@/lib/contract/lock.ts";
import type { LockWaiter, LockWaiters } from "@/lib/contract/waiters.ts";

/** The client that acquires the lock after a release, as far as known. */
export type NextHolder =
  /** Redis stores the order, so this waiter is certainly next. */
  | { is: "first_in_queue"; waiter: LockWaiter; others: number }
  /** One process serves its waiters in order of arrival, but a new client can still get in first. */
  | { is: "longest_waiting"; waiter: LockWaiter; others: number }
  /** These clients wait, and any of them can be next. */
  | { is: "undetermined"; count: number; known: Waiters["known"] }
  | { is: "no_waiter" }
  /** The library notifies waiters, but no client is subscribed. */
  | { is: "no_subscriber" }
  /** Clients that poll are not visible. */
  | { is: "not_visible" };

/**
 * Determines which client acquires a lock next. All descriptions of the next holder use this result.
 *
 * @param waiters the number of waiters in the lock's state
 * @param named the waiters known by name; `undefined` while they load or if they were not requested
 */
export function findNextHolder(waiters: Waiters, named: LockWaiters | undefined): NextHolder {
  const count = Math.max(waiters.count ?? 0, named?.waiters.count ?? 0, named?.named ?? 0);
  const [first] = named?.items ?? [];
  if (first !== undefined && named?.order === "queue") {
    return { is: "first_in_queue", waiter: first, others: count - 1 };
  }
  if (first !== undefined && named?.order === "first_come") {
    return { is: "longest_waiting", waiter: first, others: count - 1 };
  }
  if (count > 0) return { is: "undetermined", count, known: waiters.known };
  if (waiters.known === "unknown") return { is: "not_visible" };
  return { is: waiters.known === "exact" ? "no_waiter" : "no_subscriber" };
}
