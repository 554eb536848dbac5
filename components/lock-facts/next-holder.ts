import type { Waiters } from "@/lib/contract/lock.ts";
import type { LockWaiter, LockWaiters } from "@/lib/contract/waiters.ts";

/** A prediction of which client acquires the lock after a release. */
export type NextHolder =
  /** `waiter` is certainly next, because the order of the queue is stored in Redis. */
  | { is: "first_in_queue"; waiter: LockWaiter; others: number }
  /**
   * `waiter` is likely next. Its process serves waiters in order of arrival, but a new client can acquire the lock
   * first.
   */
  | { is: "longest_waiting"; waiter: LockWaiter; others: number }
  /** Any of the `count` waiters can be next. */
  | { is: "undetermined"; count: number; known: Waiters["known"] }
  | { is: "no_waiter" }
  /**
   * No client is subscribed to the channel on which the library notifies waiters. Clients that poll can still be
   * waiting.
   */
  | { is: "no_subscriber" }
  /** It is unknown whether clients wait, because clients that poll are not visible. */
  | { is: "not_visible" };

/**
 * Predicts which client acquires a lock next. All texts about the next holder use this prediction.
 *
 * @param waiters the number of waiters from the lock's state
 * @param named the waiters whose names are known; `undefined` if these waiters were not requested or are still loading
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
