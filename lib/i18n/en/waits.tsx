import type { ReactNode } from "react";

const plural = (count: number, one: string, many: string) => (count === 1 ? one : many);

/** The messages for the waits page, and messages about blockers on other pages. */
export const waits = {
  namespace: "waits" as const,
  title: "Waits",
  waitingFor: (clients: number, clientsText: string, locks: number, locksText: string) =>
    `${clientsText} ${plural(clients, "client", "clients")} waiting for ${locksText} ${plural(locks, "lock", "locks")}`,
  deadlockCount: (count: number, text: string) => `${text} ${plural(count, "deadlock", "deadlocks")}`,
  filteredBy: (key: ReactNode) => <>Filtered by {key}</>,
  clearFilter: "Show all waits",
  targetDown: "Waits appear when the target is reachable again.",
  none: "No visible waiters",
  noneHelp: "Clients appear here while they wait for a lock.",
  noneOfLock: "No visible client waits for this lock or for a lock of its waiters.",
  locksLeftOut: (count: number, text: string) =>
    `${text} more ${plural(count, "lock", "locks")} with waiters ${plural(count, "is", "are")} not listed, because 10,000 locks have waiters. Deadlocks among them are not found.`,
  polling:
    "Clients that poll are not visible. Lockkeeper knows which locks a waiting client holds only if the client declares them.",

  // Card of a deadlock.
  deadlock: (count: number, text: string, span: string) =>
    `Deadlock: ${text} ${plural(count, "client", "clients")}, for ${span}`,
  resolves: (first: string | null) =>
    first === null
      ? "It is resolved when one of these locks is released or a wait ends."
      : `It is resolved when one of these locks is released or a wait ends. The first wait times out in ${first}.`,
  others: (count: number, text: string) =>
    `${text} more ${plural(count, "client is", "clients are")} part of this deadlock.`,
  cycle: "Clients in the cycle",
  holds: (key: ReactNode) => (
    <>
      <span className="whitespace-nowrap">holds</span> {key}
    </>
  ),
  waitsFor: (key: ReactNode, span: ReactNode) => (
    <>
      <span>waits for</span>
      {key}
      {span}
    </>
  ),
  hiddenClient: "client without read access",
  hiddenLock: "a lock you cannot read",
  behindDeadlock: "Waiting behind the deadlock",

  // Section of root blockers.
  roots: "Root blockers",
  rootsHelp: "Holders that block others and are not known to wait themselves, by total time waited.",
  rootsLeftOut: (text: string) => `${text} more root blockers are not listed.`,
  holders: (text: string) => `${text} holders`,
  behindUnreadable: "A holder waits for a lock you cannot read.",
  behind: (text: string) => `${text} waiting`,
  inTotal: (span: string) => `${span} in total`,
  release: "Release…",
  releaseOf: (key: string, who: string) => `Release ${key}, held by ${who}`,
  selectHolder: "Holders",
  selectHolderOf: (key: string) => `Holders of ${key}`,

  // Descriptions of a waiting client.
  waiting: (span: string) => `waiting ${span}`,
  timesOut: (span: string) => `times out in ${span}`,
  blocks: (key: ReactNode, count: string) => (
    <>
      holds {key}: {count} waiting
    </>
  ),
  unnamed: (count: number, text: string) =>
    `${text} more ${plural(count, "client", "clients")}, owners unknown.`,
  notListed: (text: string) => `${text} more not listed.`,
  showAll: (text: string) => `Show all ${text}`,

  // Position of one lock in the wait-for graph, shown on the lock page and in the release dialog.
  blocksFact: "Blocks",
  blocked: (count: number, text: string, span: string) =>
    `${text} ${plural(count, "client", "clients")}, directly or through other locks. Total wait: ${span}.`,
  showWaits: "Show waits",
  rootFact: "Root blocker",
  root: (key: ReactNode, who: ReactNode) => (
    <>
      {key} held by {who}
    </>
  ),
  rootHelp: "The holder of this lock waits behind it.",
  deadlockFact: "Deadlock",
  inDeadlock: "This lock is part of a deadlock or behind one.",
};
