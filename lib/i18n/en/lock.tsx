import type { ReactNode } from "react";
import { ui } from "./ui.ts";

/** Advice on releasing a lock, for languages other than English. The English console shows the server's advice. */
export type ReleaseAdviceMessages = Readonly<
  Record<"shapeAlone" | "latch" | "permit" | "job" | "number" | "differentOwners" | "notFreed", string>
>;

/** Messages for the details of a lock, used in the list, on the lock page and in the release dialogs. */
export const lock = {
  namespace: "lock" as const,
  units: ui.units,
  justNow: "just now",
  ago: (span: string) => `${span} ago`,
  joined: (parts: readonly string[]) => parts.join(", "),
  either: (most: readonly string[], last: string) => `${most.join(", ")} or ${last}`,

  liveness: {
    alive: "alive",
    overdue: "overdue",
    not_renewing: "not renewing",
    no_ttl: "no TTL",
    unknown: "unknown",
  },
  livenessHints: {
    alive: "The holder renews on schedule",
    overdue: "The renewal is overdue",
    not_renewing: "No renewal seen while watched",
    no_ttl: "No TTL: the lock never expires",
    unknown: "Not watched long enough",
  },
  lastRenewed: (ago: string) => `last renewed ${ago}`,
  neverRenewed: "no renewal seen",
  neverExpires: "never expires",
  renewsEvery: (span: string) => `interval ${span}`,
  nextIn: (span: string) => `next expected in ${span}`,
  nextNow: "next due now",
  wasExpected: (ago: string) => `expected ${ago}`,
  missed: (count: number) => (count === 1 ? "1 renewal missed" : `${count} renewals missed`),
  watchedNever: (span: string) => `watched for ${span}, no renewal seen`,
  noRegularRenewals: "no regular renewals observed",
  noTtlMeans: "never expires, so it is unknown whether the holder is alive",
  watchedShort: (span: string) => `watched for ${span}, not long enough`,
  livenessWith: (liveness: ReactNode, evidence: ReactNode) => (
    <>
      {liveness}
      <span className="text-ink-3">: {evidence}</span>
    </>
  ),

  /** Tooltips for the number of waiters. */
  waitersHints: {
    exact: "All waiters",
    estimated: "Clients subscribed to release notifications, each representing at least one waiter",
    unknown: "Clients that poll are not visible",
  },
  noWaiters: "no waiters",
  wait: (count: string) => `${count} waiting`,
  subscribed: (count: string) => `${count} subscribed clients`,
  noSubscriber: "no subscribed clients",
  waitingNotVisible: (count: string | null) =>
    count === null
      ? "clients that poll are not visible"
      : `${count} waiting through Lockkeeper; clients that poll are not visible`,

  /** Descriptions of the clients that can acquire the lock after a release, and of their order. */
  next: {
    waiter: (who: ReactNode, waited: string | null, others: number) => (
      <>
        {who}
        {waited !== null && `, waiting ${waited}`}
        {others > 0 && `, then ${others} ${others === 1 ? "other" : "others"}`}
      </>
    ),
    orders: {
      first_in_queue: "The queue is stored in Redis: no other client can get in first.",
      longest_waiting: "Waiters are served in this order, but a new client can still get in first.",
    },
    undetermined: (count: number, isExact: boolean) =>
      `Unknown (${isExact ? "" : "at least "}${count} ${count === 1 ? "client is" : "clients are"} waiting, and any client can be first).`,
    no_waiter: "No client is waiting.",
    no_subscriber: "No client is subscribed to release notifications.",
    not_visible: "Unknown (clients that poll are not visible).",
    enoughPermits: "A waiter acquires its permits once enough of them are available.",
    redissonFair: "The first client in the queue is notified. The others keep their places.",
    redissonPlain: "Every subscribed client is notified, and the first one to request the lock acquires it.",
  },

  // Descriptions of the holder.
  notHeld: "not held",
  unreadable: "cannot be read",
  onHost: (who: ReactNode, host: ReactNode) => (
    <>
      {who}
      <span className="text-ink-3"> on </span>
      {host}
    </>
  ),
  onHostText: (who: string, host: string) => `${who} on ${host}`,
  holders: (count: number) => `${count} holders`,
  redissonThread: (thread: string) => `Redisson client, thread ${thread}`,
  reservedMinimumHold: "reserved: minimum hold time",
  reservedFor: (who: ReactNode) => <>reserved by {who}</>,
  minimumHold: "minimum hold time",
  reservedBy: (who: string) => `reservation by ${who}`,
  unknownDeadline: (time: string) => `unknown owner (deadline, ends ${time})`,
  unknownConstant: (value: string) => `unknown owner (value “${value}”)`,
  theReservation: (what: string) => `the ${what}`,

  // Remaining and elapsed times.
  ended: "expired, available",
  noTtl: "no TTL",
  expiring: "expiring…",
  graceHint: "The lease has expired. The lock is still held during the grace period.",
  unknown: "unknown",
  sinceUnknown: "The start of this hold is unknown",
  sinceHints: {
    at_least: (date: string) => `Already held when first seen, ${date}`,
    reported: (date: string) => `Since ${date} (from the owner string, on the client's clock)`,
    exact: (date: string) => `Since ${date}`,
  },
  typical: (span: string) => `typical ${span}`,
  noFence: "none",
  noFenceHint: "Not acquired through Lockkeeper, so this hold has no fencing token",

  /** Names of the formats that are not specific to a library. */
  formatNames: { token: "Token string", timestamp: "Timestamp string" },
  runbook: "Runbook",
  newTab: "(opens in a new tab)",

  formats: (count: number) => `one of ${count}`,

  /** Advice on releasing a lock; `null` because the server returns the advice in English. */
  release: null as ReleaseAdviceMessages | null,

  /** Descriptions of the votes on a quorum target. */
  votes: {
    held: (its: number, of: number) => `held on ${its} of ${of} masters`,
    ownerPerMaster: ", with one owner string per master: ",
    differentOwners: "held by different owners on different masters; none is known to have a majority",
    has: (owner: ReactNode, masters: number) => (
      <>
        {owner} has {masters} {masters === 1 ? "vote" : "votes"}
      </>
    ),
    noHold: (_votes: number): string => ", so no owner has a majority",
    none: "none",
    unreachable: (count: number) => `; ${count} ${count === 1 ? "is" : "are"} unreachable`,
    undecided: " and could change the result, so the last known result is shown",
    and: ", ",
    after: "; ",
  },

  noteBy: (who: ReactNode, ago: string | null, about: "hold" | "key") => (
    <>
      {who}
      {ago !== null && `, ${ago}`}
      {about === "hold" ? ", for this hold" : ", for the key"}
    </>
  ),
};
