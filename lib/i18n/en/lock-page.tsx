import type { ReactNode } from "react";

/** The page of one lock. */
export const lockPage = {
  namespace: "lockPage" as const,
  noKey: "This address names no key",
  allLocks: "All locks",
  key: "Copy key",
  copyKey: "Copy the key",
  free: "Free…",
  freeWithKey: "Free… (r)",
  cannotFree: (why: string) => `It cannot be freed now. ${why}`,
  nobodyHolds: "Nobody holds this lock.",
  parts: {
    now: "Now",
    waiting: "Waiting",
    typical: "What is typical",
    timeline: "Timeline",
    events: "Recent events",
    owner: "Other locks of its owner",
    raw: "In Redis",
    actions: "Actions",
  },

  /** The state in a plain sentence. How long it has been held stands below. */
  held: (who: ReactNode) => <>Held by {who}.</>,
  heldByMany: (count: number) => `Held by ${count} at one time.`,
  reserved: (by: ReactNode | null, left: string | null) => (
    <>
      {by === null ? "Reserved until its minimum hold time is over" : <>Reserved by {by}</>}
      {left === null ? "" : `: nobody gets it for ${left}`}.
    </>
  ),
  ended: (who: ReactNode) => (
    <>Its deadline has passed: whoever asks next gets it. The last to hold it was {who}.</>
  ),
  nobody: "Free: nobody holds it.",
  neverSeen: "Free, and nothing was ever recorded of it.",
  neverSeenHelp:
    "Lockkeeper knows a key from when it was first locked, as far back as the history is kept. If something should hold it, look whether the name is right, and whether keys of this name are watched.",
  /** Whether the holder is alive. */
  alive: (ago: string) => `Its holder is alive: it renewed ${ago}.`,
  aliveYet: "It is renewed as expected.",
  overdue: (overdue: string, heard: string | null) =>
    heard === null
      ? `Its holder should have renewed ${overdue}, and was never heard to.`
      : `Its holder should have renewed ${overdue}; it was last heard ${heard}.`,
  overdueSomehow: "Its renewal is overdue.",
  fixed: (left: string) => `Nothing tells whether its holder is alive; the lease ends in ${left} by itself.`,
  endless: "It has no TTL and never expires; nothing shows whether its holder is alive.",
  tooEarly: (span: string) => `Watched for ${span}: not long enough to know whether its holder is alive.`,
  /** Who waits. */
  wait: (count: number) => (count === 1 ? "1 waits for it." : `${count} wait for it.`),
  waitAtLeast: (count: number) => (count === 1 ? "1 or more wait for it." : `${count} or more wait for it.`),
  nobodyWaits: "Nobody waits for it.",
  /** Said once to who listens to the page, without what changes all the time. */
  spoken: (who: string, liveness: string) => `Held by ${who}, ${liveness}`,
  spokenFree: "The lock is free",

  expiresIn: "Expires in",
  heldFor: "Held for",
  waiting: "Waiting",
  count: "Count",
  holders: "Holders",
  timesTypical: (times: string, p50: string, p95: string) => `${times}× typical ${p50} (p95 ${p95})`,
  pastP95: (p95: string) => `longer than 19 of 20 (p95 ${p95})`,
  typicallyHeld: (p50: string, p95: string) => `typically ${p50} (p95 ${p95})`,
  typicallyHeldBy: (holds: string, pattern: ReactNode) => (
    <>
      {" "}
      by {holds} holds of {pattern}
    </>
  ),
  liveness: "Liveness",
  ifFreed: "If it is freed",
  nextHolder: "Next holder:",
  keepsWriting:
    "A holder that uses the Node library learns of it at once, one that uses the HTTP API at its next renewal (`lost`). Until then it may still write: only the fencing token protects the resource.",
  nobodyWorks: "No client works under a reservation, so nothing is lost.",
  mayNot: "It is not to be freed:",
  votes: "Votes",
  lastFence: "Last fence",
  fromRedisson: (fence: string) => `${fence}, given out by Redisson`,
  permits: "Permits",
  permitsLeft: (available: number, total: number | null) =>
    total === null ? `${available} available` : `${available} of ${total} available`,
  format: "Format",
  ofKind: (formats: string, kind: string) => `${formats}, ${kind}`,
  layout: (layout: string) => `: ${layout}`,
  confidence: {
    likely: ", likely: its name and shape say so",
    possible: ", possible: its shape alone does not tell",
  },
  sameToken: "Same token",
  version: "Version",
  noVersion: "none",

  purpose: "Purpose",
  trace: "Trace",
  copyTrace: "Copy the trace id",
  owner: "Owner",
  value: "Value",
  copyOwner: "Copy the owner",
  copyValue: "Copy value",
  itsLease: "Its lease",
  endsIn: (span: string) => `ends in ${span}`,
  graceAfter: (span: string) => `; nobody gets the lock for ${span} after`,
  over: "over",
  graceKeeps: "; its grace keeps the lock taken until it expires",
  noTtl: "no TTL",
  since: "Since",
  sinceUnknown: "not known",
  sinceHow: {
    exact: "",
    at_least: " or earlier: held when first seen",
    reported: ", as recorded in its owner string by the client's clock",
  },
  fence: "Fence",
  noFence: "none: taken without Lockkeeper, so nothing can tell its late writes",
  copyFence: "Copy the fence",
  holdId: "Hold ID",
  copyHoldId: "Copy hold ID",
  freeHolder: "Free this holder…",
  pid: (pid: number) => `, pid ${pid}`,
  role: (role: string) => `, ${role}`,
  counted: (count: number) => `, count ${count}`,

  /** Of a lock that nobody holds. */
  freeVotes: (votes: ReactNode) => <>Votes: {votes}.</>,
  lastHold: (who: ReactNode | null, ending: string, ago: string | null, reason: ReactNode | null) => (
    <>
      The last hold{who !== null && <>, of {who},</>} ended: {ending}
      {ago !== null && ` ${ago}`}
      {reason !== null && <>, “{reason}”</>}.
    </>
  ),
};
