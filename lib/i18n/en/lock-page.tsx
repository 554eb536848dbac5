import type { ReactNode } from "react";
import type { UnreadableReason } from "@/lib/contract/lock.ts";

/** The messages for the lock page. */
export const lockPage = {
  namespace: "lockPage" as const,
  noKey: "No lock key in this URL",
  allLocks: "All locks",
  key: "Copy key",
  copyKey: "Copy key",
  release: "Release…",
  releaseWithKey: "Release… (r)",
  cannotRelease: (why: string) => `Cannot be released now. ${why}`,
  nothingToRelease: "The lock is not held.",
  parts: {
    now: "Now",
    waiting: "Waiting",
    typical: "Typical duration",
    timeline: "Timeline",
    events: "Recent events",
    owner: "Other locks held by this owner",
    raw: "Redis data",
    actions: "Actions",
  },

  // Headline of the page.
  held: (who: ReactNode) => <>Held by {who}.</>,
  heldByMany: (count: number) => `Held by ${count} holders.`,
  reserved: (by: ReactNode | null, left: string | null) => (
    <>
      {by === null ? "Reserved until the minimum hold time ends" : <>Reserved by {by}</>}
      {left === null ? "" : `, ${left} left`}.
    </>
  ),
  ended: (who: ReactNode) => (
    <>The deadline has passed, so the next client can acquire the lock. Last held by {who}.</>
  ),
  notHeld: "Not held.",
  /** Headlines for a key that cannot be read, by reason. */
  unreadable: {
    too_large: "Not read: larger than Lockkeeper's size limit.",
    forbidden: "Cannot be read: the Redis user has no permission.",
    timeout: "Cannot be read: Redis did not reply in time.",
    error: "Cannot be read: Redis returned an error.",
  } as Readonly<Record<UnreadableReason, string>>,
  unreadableHelp: "It is not known whether this lock is held. Inspect the key with redis-cli.",
  neverSeen: "Not held, and no history is recorded.",
  neverSeenHelp:
    "If this lock should be held, check the key for typos, and check that it matches a watched pattern. Older holds may no longer be stored.",
  // Sentences about the liveness of the holder and about waiters.
  alive: (ago: string) => `The holder is alive (renewed ${ago}).`,
  renewsOnSchedule: "The holder renews on schedule.",
  overdue: (overdue: string, renewed: string | null) =>
    renewed === null
      ? `Renewal overdue: expected ${overdue}, no renewal seen.`
      : `Renewal overdue: expected ${overdue}, last renewed ${renewed}.`,
  overdueNoDetails: "Renewal overdue.",
  notRenewing: (left: string) => `The holder does not renew, so its liveness is unknown. Expires in ${left}.`,
  neverExpires: "No TTL: the lock never expires, so it is unknown whether its holder is alive.",
  watchedTooShort: (span: string) =>
    `Watched for ${span}, not long enough to determine whether the holder is alive.`,
  wait: (count: number) => (count === 1 ? "1 client is waiting." : `${count} clients are waiting.`),
  waitAtLeast: (count: number) =>
    count === 1 ? "At least 1 client is waiting." : `At least ${count} clients are waiting.`,
  noWaiters: "No client is waiting.",
  /** Announcement for screen readers. Omits times, because they change every second. */
  announcement: (who: string, liveness: string) => `Held by ${who}, ${liveness}`,
  announcementNotHeld: "The lock is not held",

  expiresIn: "Expires in",
  heldFor: "Held for",
  waiting: "Waiting",
  count: "Count",
  holders: "Holders",
  timesTypical: (times: string, p50: string, p95: string) => `${times}× typical ${p50} (p95 ${p95})`,
  pastP95: (p95: string) => `above p95 (${p95})`,
  typicallyHeld: (p50: string, p95: string) => `typically ${p50} (p95 ${p95})`,
  typicallyHeldBy: (holds: string, pattern: ReactNode) => (
    <>
      {" "}
      in {holds} holds of {pattern}
    </>
  ),
  liveness: "Liveness",
  ifReleased: "If released",
  nextHolder: "Next holder:",
  keepsWriting:
    "A holder that uses the Node.js library is notified immediately. A holder that uses the HTTP API finds out when its next renewal fails. Until then it may keep writing: only the fencing token protects the resource.",
  onlyReserved: "The lock is reserved, not held by a client, so releasing it does not interrupt any work.",
  mustNotRelease: "Do not release:",
  votes: "Votes",
  lastFence: "Last fencing token",
  fromRedisson: (fence: string) => `${fence}, issued by Redisson`,
  permits: "Permits",
  permitsLeft: (available: number) => `${available} available`,
  format: "Format",
  ofKind: (formats: string, kind: string) => `${formats}, ${kind}`,
  layout: (layout: string) => `: ${layout}`,
  confidence: {
    likely: " (likely: the key and value suggest it)",
    possible: " (possible: the value alone is ambiguous)",
  },
  sameToken: "Keys with the same token",
  version: "Version",
  noVersion: "none",

  purpose: "Purpose",
  session: "Session",
  trace: "Trace",
  copyTrace: "Copy trace ID",
  owner: "Owner",
  value: "Value",
  copyOwner: "Copy owner",
  copyValue: "Copy value",
  lease: "Lease",
  endsIn: (span: string) => `expires in ${span}`,
  graceAfter: (span: string) => `, then a grace period of ${span}`,
  leaseExpired: "expired",
  inGrace: ", still held during the grace period",
  noTtl: "no TTL",
  since: "Since",
  sinceUnknown: "unknown",
  sinceHow: {
    exact: "",
    at_least: " or earlier (already held when first seen)",
    reported: " (from the owner string, on the client's clock)",
  },
  fence: "Fencing token",
  noFence: "none: not acquired through Lockkeeper, so late writes cannot be detected",
  copyFence: "Copy fencing token",
  holdId: "Hold ID",
  copyHoldId: "Copy hold ID",
  releaseHolder: "Release this holder…",
  pid: (pid: number) => `, pid ${pid}`,
  role: (role: string) => `, ${role}`,
  counted: (count: number) => `, count ${count}`,

  /** Line with the votes that remain on the masters while the lock is not held. */
  votesWithoutHolder: (votes: ReactNode) => <>Votes: {votes}.</>,
  lastHold: (who: ReactNode | null, ending: string, ago: string | null, reason: ReactNode | null) => (
    <>
      Last hold{who !== null && <> by {who}</>}: {ending}
      {ago !== null && ` ${ago}`}
      {reason !== null && <>, “{reason}”</>}.
    </>
  ),
};
