import type { ReactNode } from "react";
import type { LockKind } from "@/lib/contract/format.ts";

const names: Record<LockKind, string> = {
  lock: "lock",
  fair: "fair lock",
  fenced: "fenced lock",
  read: "read lock",
  write: "write lock",
  multi: "multi-lock",
  semaphore: "semaphore",
  latch: "latch",
};

const plural = (count: number, one: string, many: string) => (count === 1 ? one : many);

/** The names of the kinds of lock, and messages for read/write locks, semaphores, fair locks and latches. */
export const lockKinds = {
  namespace: "lockKinds" as const,
  names,
  readers: (count: number, text: string) => `${text} ${plural(count, "reader", "readers")}`,
  writer: "writer",
  permits: (acquired: string, total: string) => `${acquired} of ${total} permits`,
  permitsAvailable: (text: string) => `${text} permits available`,
  permitCount: (count: number, text: string) => `${text} ${plural(count, "permit", "permits")}`,
  inQueue: (text: string) => `${text} in queue`,
  latchCount: (text: string) => `count ${text}`,

  // Headline of the lock page.
  heldByReaders: (count: number, text: string) => `Held by ${text} ${plural(count, "reader", "readers")}.`,
  permitsAcquired: (acquired: string, total: string) => `${acquired} of ${total} permits acquired.`,
  latchClosed: (count: string) => `Closed: the count is ${count}.`,
  closedFor: "Closed for",
  ifOpened: "If opened",
  latchMeans: "Waiting clients continue when the count reaches 0. A latch has no holder and no lease.",

  // Permits of a semaphore.
  permitsMeter: "Acquired permits",
  available: (text: string) => `${text} available`,
  overcommitted: (excess: number, text: string) =>
    `The limit is exceeded: no permit is granted until ${text} ${plural(excess, "is", "are")} released.`,

  // List of participants.
  participants: { readers: "Readers", writer: "Writer and its readers", holders: "Holders" },
  participantsCount: (title: string, count: string) => `${title}: ${count}`,
  heldFor: (span: ReactNode) => <>held for {span}</>,
  expiresIn: (span: string) => `expires in ${span}`,
  filter: "Filter by owner",
  noMatch: "No holder matches.",
  showMore: (count: string) => `Show ${count} more`,
  shown: (shown: string, total: string) => `${shown} of ${total} shown`,
  noTtl: "no TTL",
  expired: "expired",
  details: "Details",
  detailsOf: (who: string) => `Details of ${who}`,
  release: "Release…",
  releaseOf: (who: string) => `Release ${who}`,
  sharedFence: "Readers share the fencing token of the last writer.",

  // Release dialog.
  releaseTitle: {
    reader: (key: ReactNode) => <>Release one reader of {key}</>,
    writer: (key: ReactNode) => <>Release the writer of {key}</>,
    permits: (count: number, text: string, key: ReactNode) => (
      <>
        Release {text} {plural(count, "permit", "permits")} of {key}
      </>
    ),
    holder: (key: ReactNode) => <>Release one holder of {key}</>,
    latch: (key: ReactNode) => <>Open latch {key}</>,
  },
  submit: {
    reader: "Release reader",
    writer: "Release writer",
    permits: "Release permits",
    holder: "Release holder",
    latch: "Open latch",
  },
  openHint: "Only if the latch has not been set again since you opened the dialog.",
  readersKeep: (count: number, text: string) =>
    `${text} other ${plural(count, "reader keeps", "readers keep")} the lock`,
  permitsStay: (count: number, holders: string, available: string, total: string) =>
    `${holders} other ${plural(count, "holder keeps its", "holders keep their")} permits. ${available} of ${total} permits will be available.`,
  nextWhileRead: (count: number, text: string) =>
    `No writer can acquire the lock yet, because ${text} other ${plural(count, "reader still holds", "readers still hold")} it. New readers can acquire it.`,
  participantGone: "This participant is no longer a holder.",
  participantGoneText: (count: number, text: string) =>
    `Nothing was released. ${text} other ${plural(count, "holder keeps", "holders keep")} the lock. Close the dialog to select another one.`,

  // Waiters in the queue of a fair lock.
  deadCost: (span: string) =>
    `If the client died, it can block the queue for another ${span}, because its library sends no heartbeat.`,
  ourCost: "Sends heartbeats: if it dies, it leaves the queue within 6 s.",
};
