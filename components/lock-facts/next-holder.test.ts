import { expect, it } from "vitest";
import type { Waiters } from "@/lib/contract/lock.ts";
import type { LockWaiter, LockWaiters, WaitersOrder } from "@/lib/contract/waiters.ts";
import { findNextHolder, type NextHolder } from "./next-holder.ts";

const createWaiter = (owner: string): LockWaiter => ({
  owner,
  by: "lockkeeper",
  place: null,
  since: 1,
  until: null,
});
const [first, second] = [createWaiter("a"), createWaiter("b")];

function createWaiters(order: WaitersOrder, waiters: Waiters, items: LockWaiter[]): LockWaiters {
  return { target: "main", key: "k", waiters, order, named: items.length, items, asOf: 1 };
}

const exactly = (count: number): Waiters => ({ count, known: "exact" });
const estimated = (count: number): Waiters => ({ count, known: "estimated" });
const unseen: Waiters = { count: null, known: "unknown" };

const TABLE: readonly [string, Waiters, LockWaiters | undefined, NextHolder][] = [
  [
    "a stored queue",
    exactly(3),
    createWaiters("queue", exactly(3), [first, second]),
    { is: "first_in_queue", waiter: first, others: 2 },
  ],
  [
    "waiters of one process",
    { count: 2, known: "unknown" },
    createWaiters("first_come", { count: 2, known: "unknown" }, [first, second]),
    { is: "longest_waiting", waiter: first, others: 1 },
  ],
  [
    "waiters of several processes",
    estimated(2),
    createWaiters("by_process", estimated(2), [first, second]),
    { is: "undetermined", count: 2, known: "estimated" },
  ],
  [
    "subscribed clients without names",
    estimated(4),
    undefined,
    { is: "undetermined", count: 4, known: "estimated" },
  ],
  [
    "more named waiters than the lock reports",
    exactly(0),
    createWaiters("queue", exactly(1), [first]),
    { is: "first_in_queue", waiter: first, others: 0 },
  ],
  ["no_waiter", exactly(0), undefined, { is: "no_waiter" }],
  ["no subscriber", estimated(0), undefined, { is: "no_subscriber" }],
  ["polling clients", unseen, undefined, { is: "not_visible" }],
];

it.each(TABLE)("the next holder with %s", (_name, waiters, named, expected) => {
  expect(findNextHolder(waiters, named)).toEqual(expected);
});
