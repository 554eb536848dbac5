import type { BulkOutcome } from "@/lib/contract/actions/bulk-release.ts";

const OUTCOMES: Readonly<Record<BulkOutcome, string>> = {
  released: "released",
  would_release: "will be released",
  already_gone: "already gone",
  changed: "held by another holder",
  unverified: "could not be verified as the same hold",
  format_required: "of uncertain format: release individually",
  read_only: "cannot be released from here",
  forbidden: "not permitted",
  unknown: "not confirmed: may or may not have been released",
  failed: "failed",
};

const formatLockCount = (count: number, shown: string) => (count === 1 ? "1 lock" : `${shown} locks`);

/** The messages for the dialog that releases several locks. */
export const bulk = {
  namespace: "bulk" as const,
  outcomes: OUTCOMES,
  /** Separator between the facts in a line. `colon` separates the outcome from the current holder. */
  between: ", ",
  colon: ": ",
  titleReviewing: "Reviewing…",
  titleReviewed: (count: number, shown: string) => `Release ${formatLockCount(count, shown)}`,
  titleReleasing: (count: number, shown: string) => `Releasing ${formatLockCount(count, shown)}…`,
  titleEnded: "Results",
  reviewingAll: "Reviewing each lock…",
  reviewed: (done: string, of: string) => `${done} of ${of} reviewed`,
  stop: "Stop",
  release: (count: number, shown: string) => `Release ${formatLockCount(count, shown)}`,
  recorded: (who: string) => `Each release is recorded in the audit log as ${who}`,
  nothingReleased: "Nothing was released.",
  reviewCurrent: (count: number, shown: string) =>
    count === 1 ? "Review the current hold" : `Review the ${shown} current holds`,
  reasonRequired: "Enter a reason: it is required to release several locks.",
  production: (target: string) => `This is a production target. Type “${target}” to confirm`,

  tooMany: (found: string, most: string) =>
    `${found} locks match. Only the first ${most} are listed; the others are not affected.`,
  alive: (count: string) =>
    `${count} ${count === "1" ? "lock has a holder that is" : "locks have holders that are"} alive and may be working.`,
  withWaiters: (count: string) =>
    `${count} ${count === "1" ? "lock has" : "locks have"} waiters, which can acquire ${count === "1" ? "it" : "them"} next.`,
  shared: (count: string) =>
    `${count} ${count === "1" ? "lock is" : "locks are"} shared: other holders keep ${count === "1" ? "it" : "them"}.`,
  uncertainFormat: (count: string) =>
    `${count} ${count === "1" ? "lock has" : "locks have"} an uncertain format.`,
  willRelease: (count: string) => `Will be released: ${count}`,
  notReleased: (count: string) => `Not released: ${count}`,
  onlyThese: "Only the holds listed here are released. Later holds are not affected.",
  nothingToRelease: "Nothing to release.",
  list: "Locks",

  noTtl: "no TTL",
  left: (time: string) => `${time} left`,
  liveness: {
    alive: "alive",
    overdue: "overdue",
    not_renewing: "not renewing",
    no_ttl: "no TTL",
    unknown: "liveness unknown",
  },
  waiting: (count: string) => `${count} waiting`,
  andMore: (count: number) => ` and ${count} more`,
  heldFor: (time: string) => `held for ${time}`,

  progressLabel: "Progress",
  progress: (done: string, of: string) => `${done} of ${of}`,
  releasing: "Releasing…",
  stopped: (released: string) => `Stopped: ${released} released.`,
  connectionLost: (released: string) => `Connection lost: ${released} released.`,
  allReleased: "All released.",
  someReleased: (released: string, of: string) => `${released} of ${of} released.`,
  counted: (count: string, what: string) => `${count} ${what}`,
  notStarted: (count: string) =>
    `${count} not started, or finished after you stopped. The table and the events show the results.`,
  noResponse: (count: string) => `${count} without a response. The table and the events show the results.`,
  releasedGroup: (count: string) => `Released: ${count}`,
  outcomeGroup: (count: string, what: string) => `${count} ${what}`,
  reviewRemaining: (count: number, shown: string) =>
    `Review the remaining ${count === 1 ? "lock" : `${shown} locks`} again`,
  csv: "Download CSV",
  audit: "View audit entries",
};
