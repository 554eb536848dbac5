import type { ReactNode } from "react";
import { ui } from "./ui.ts";

/** What the server says about freeing a lock, as another language tells it. */
export type ReleaseAdviceMessages = Readonly<
  Record<"shapeAlone" | "latch" | "permit" | "job" | "number" | "differentOwners" | "notFreed", string>
>;

/** What is known of a lock, in the list, on its page and in the sheets that free it. */
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
    alive: "Its holder renews on schedule",
    overdue: "Its renewal is overdue",
    not_renewing: "No renewal seen while it was watched",
    no_ttl: "It has no TTL and never expires",
    unknown: "Not watched long enough",
  },
  lastRenewed: (ago: string) => `last renewed ${ago}`,
  neverRenewed: "never seen to renew",
  neverExpires: "never expires",
  renewsEvery: (span: string) => `every ${span}`,
  nextIn: (span: string) => `next expected in ${span}`,
  nextNow: "next expected now",
  wasExpected: (ago: string) => `expected ${ago}`,
  missed: (count: number) => `${count} missed`,
  watchedNever: (span: string) => `watched for ${span} and never renewed`,
  noRegularRenewals: "no regular renewals observed",
  noTtlMeans: "it never expires, and nothing shows whether its holder is alive",
  watchedShort: (span: string) => `watched for ${span}, not long enough`,
  livenessWith: (liveness: ReactNode, evidence: ReactNode) => (
    <>
      {liveness}
      <span className="text-ink-3">: {evidence}</span>
    </>
  ),

  /** Who waits, for a figure's title. */
  waitersHints: {
    exact: "All who wait for it",
    estimated: "Clients that listen for its release, each with one waiter or more",
    unknown: "Who waits by asking again and again cannot be seen",
  },
  nobodyWaits: "nobody waits",
  wait: (count: string) => `${count} wait`,
  listen: (count: string) => `${count} clients listen for its release`,
  nobodyListens: "no client listens for its release",
  waitUnseen: (count: string | null) =>
    count === null
      ? "who waits by asking again and again cannot be seen"
      : `${count} wait by Lockkeeper; who waits by asking again and again cannot be seen`,

  /** Who acquires the lock when it is released. */
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
    nobody: "No client is waiting. The lock stays free until a client acquires it.",
    no_subscriber: "No client is subscribed to the release. The lock stays free until a client acquires it.",
    not_visible: "Unknown (clients that poll are not visible).",
    redissonFair: "The first client in the queue is notified. The others keep their places.",
    redissonPlain: "Every subscribed client is notified, and the first request acquires the lock.",
  },

  /** Who holds it. */
  free: "free",
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
  reservedLeast: "reserved: minimum hold time",
  reservedFor: (who: ReactNode) => <>reserved by {who}</>,
  leastHold: "minimum hold time",
  reservedBy: (who: string) => `reservation by ${who}`,
  unknownDeadline: (time: string) => `unknown owner (deadline, ends ${time})`,
  unknownConstant: (value: string) => `unknown owner (value “${value}”)`,
  theReservation: (what: string) => `the ${what}`,

  /** How long. */
  endedFree: "ended, free to take",
  noTtl: "no TTL",
  expiring: "expiring…",
  graceHint: "Its holder's lease is over; the grace keeps the lock taken",
  unknown: "unknown",
  sinceUnknown: "It is not known when this hold began",
  sinceHints: {
    at_least: (date: string) => `Held already when first seen, ${date}`,
    reported: (date: string) => `Since ${date}, as recorded in its owner string by the client's clock`,
    exact: (date: string) => `Since ${date}`,
  },
  typical: (span: string) => `typical ${span}`,
  noFence: "none",
  noFenceHint: "Taken without Lockkeeper: this hold has no fencing token",

  /** Of formats that are no library's. */
  formatNames: { token: "One string", timestamp: "Deadline" },
  runbook: "Runbook",
  opensApart: "(opens apart)",

  formats: (count: number) => `one of ${count}`,

  /** null: the server says it in this very language. */
  release: null as ReleaseAdviceMessages | null,

  /** Of a quorum. */
  votes: {
    held: (its: number, of: number) => `held at ${its} of ${of} masters`,
    ownerPerMaster: ", with one owner string per master: ",
    differentOwners: "held by different owners on each master; none is known to have a majority",
    has: (owner: ReactNode, masters: number) => (
      <>
        {owner} has {masters} {masters === 1 ? "vote" : "votes"}
      </>
    ),
    noHold: (votes: number): string => (votes === 1 ? ", which makes no hold" : ", which make no hold"),
    none: "none",
    unreachable: (count: number) => `; ${count} ${count === 1 ? "is" : "are"} unreachable`,
    undecided: ": they may decide otherwise, so this is as it was decided last",
    and: ", ",
    after: "; ",
  },

  noteBy: (who: ReactNode, ago: string | null, about: "hold" | "key") => (
    <>
      {who}
      {ago !== null && `, ${ago}`}
      {about === "hold" ? ", about this hold" : ", about the key, whoever holds it"}
    </>
  ),
};
