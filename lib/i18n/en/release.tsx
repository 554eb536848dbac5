import type { ReactNode } from "react";

/** The sheet that frees one lock. */
export const release = {
  namespace: "release" as const,
  title: (key: ReactNode) => <>Release {key}</>,

  // What is freed.
  asSeen: "Holder",
  asOpened: "The hold that you opened",
  heldBy: "Held by",
  reserved: "Reserved",
  forLeastTime: "for its minimum hold time",
  by: (who: ReactNode) => <>by {who}</>,
  nobody: "Nobody holds it.",
  count: (count: number) => `, count ${count}`,
  forHowLong: "For",
  typically: (span: string) => `, typically ${span}`,
  expires: "Expires",
  format: "Format",
  votes: "Votes",
  fence: "Fence",
  none: "none",
  noFence: "Taken without Lockkeeper: nothing can tell its late writes",
  redissonsFence: (fence: string) => `${fence}, given out by Redisson`,

  // Whether its holder is alive.
  alive: "Liveness",
  liveness: {
    alive: "The holder appears to be alive",
    overdue: "The renewal is overdue",
    not_renewing: "The holder does not renew its lease",
    no_ttl: "The lock has no TTL",
    unknown: "Liveness is unknown",
  },
  renewals: (count: number, shown: string) => (count === 1 ? "1 renewal seen" : `${shown} renewals seen`),
  lastHeard: (ago: string) => `Acquired ${ago}, no renewal seen since`,
  heartbeat: (heard: string, cadence: string) =>
    `${heard} since it was heard of, of ${cadence} between renewals`,
  ofAll: "This is of the lock as a whole: its holders cannot be told apart.",
  nobodyWorks: "No client works under a reservation.",

  // What happens then.
  follows: "What happens next",
  next: "Next holder",
  nobodyUntil: "None for 60 s, or until you release the reservation. Waiters keep waiting.",
  alsoFreed: "Also freed",
  alsoKeeps: "Not freed",
  allHolders: (count: number) => `All ${count} holders are freed`,
  othersKeep: (count: number) => (count === 1 ? "1 more keeps the lock" : `${count} more keep the lock`),
  andMore: (count: number) => `and ${count} more`,
  nested: (count: number) => `All ${count} of its nested holds end at once`,
  keysAlong: (count: number) =>
    count === 1 ? "1 other key, taken with the same token" : `${count} other keys, taken with the same token`,
  keysStay: (count: number) =>
    count === 1
      ? "1 other key that was taken together with it stays taken"
      : `${count} other keys that were taken together with it stay taken`,
  oldOwner: "Previous holder",
  noOldOwner: "none: no client works under a reservation",
  fencedOwner: (lost: ReactNode) => (
    <>
      Its next renewal fails with {lost}. Until then it may keep writing: only the fencing token protects the
      resource.
    </>
  ),
  ofFormat: (format: string) => `${format}: `,
  releasing: "Releasing",

  // What to do.
  how: "Action",
  methods: {
    release: "Release now",
    reserve: `Release and reserve for 60 s`,
    wait: "Wait for expiry",
  },
  hints: {
    release: "Only if this hold is unchanged. No other hold is affected.",
    reserve: "Held in your name: no client can acquire it. You can release it early.",
  },
  waitHint: (left: ReactNode) => <>Expires in {left} unless the owner renews it.</>,
  reservationWaitHint: (left: ReactNode) => <>Expires in {left}.</>,
  why: {
    renewed: "Not available: the owner renews the lease, so it does not expire.",
    noTtl: "Not available: the lock has no TTL and never expires.",
    noRoom: "Not available: this format cannot be reserved.",
    others: "Not available: other holders keep the lock.",
  },
  cleared: "The liveness of the holder changed. Choose an action.",
  unavailable: "The chosen action is no longer available. Choose another one.",
  itsFormat: "Its format",

  // Why.
  reason: "Reason",
  reasonOptional: "Reason (optional)",
  reasonPlaceholder: "For whoever looks at this later",
  reasons: ["Its owner is gone", "Its owner hangs", "Deployment", "Test"],
  sayWhy: {
    alive: "Enter a reason: the holder appears to be alive.",
    unknown: "Enter a reason: whether the holder is alive is unknown.",
  },
  nameFormat: "Select the format first.",
  chooseHow: "Choose an action",
  chooseHint: "Choose an action above.",
  production: {
    alive: (target: string) => `Production, and the holder appears to be alive. Type “${target}” to confirm`,
    unknown: (target: string) =>
      `Production, and whether the holder is alive is unknown. Type “${target}” to confirm`,
  },
  typeName: (target: string) => `Type “${target}” to confirm.`,
  recorded: (who: string) => `Logged in the audit as ${who}`,
  releaseLock: "Release lock",
  keepWatching: "Keep watching",
  releaseReservation: "Release and reserve",
  isReleasing: "Releasing…",
  sends: "⌘ or Ctrl with Enter sends",
  releaseThe: (what: string, reservation: boolean) => `Release ${what}${reservation ? " and reserve" : ""}`,
  releaseWhatever: (who: string, reservation: boolean) =>
    `Release whatever ${who} holds now${reservation ? " and reserve" : ""}`,
  itsOwner: "its owner",

  // What came between.
  changedTitles: {
    other_owner: "The hold changed.",
    reacquired: "The owner acquired the lock again.",
    not_followed: "This may be another hold.",
  },
  changedText: "The hold that you opened has ended and is shown below. It can no longer be released.",
  reacquiredText: (who: ReactNode) => (
    <>{who} released the lock and acquired it again. The hold that you opened has ended and is shown below.</>
  ),
  notFollowedText: (who: ReactNode) => (
    <>
      {who} holds the lock, but the connection to Redis was interrupted. It may have released the lock and
      acquired it again in between.
    </>
  ),
  changedThere: "The hold changed. Nothing was released.",
  lookAtNew: "Review the current hold",
  nowHeldBy: (who: ReactNode) => <>Now held by {who}.</>,
  nowReserved: (who: ReactNode) => <>Now {who}.</>,
  nowFree: "The lock is free.",
  noAnswer: "No answer: it may or may not have been released.",
  noAnswerText:
    "What stands below is live. If the hold is still there in a few seconds, send it again: that frees this hold or nothing.",
  unverified: "Could not verify the hold: nothing was released.",
  unverifiedText: (who: ReactNode) => (
    <>
      This Redis could not be watched all the time, so it cannot be told whether {who} still has the hold you
      saw or has taken the lock anew since.
    </>
  ),
  alreadyGone: "Already gone.",
  goneUnseen: "The hold you looked at has ended; nobody holds the lock.",
  goneSeen: (how: string, ago: ReactNode) => (
    <>
      The lock is free: {how} {ago}.
    </>
  ),
  notReserved: "Nothing was reserved: the next client gets it.",
  maybeByYou: "Whether your request did it cannot be told here; the history can.",

  // What was done.
  released: "Released",
  releasedAndReserved: "Released and reserved",
  holdGone: (owner: ReactNode) => <>The hold of {owner} is gone.</>,
  reservationGone: (what: ReactNode) => <>The {what} is gone.</>,
  aHoldGone: "The hold is gone.",
  reservedUntil: (clock: string) =>
    `No client can acquire the lock until ${clock}, unless you release it early.`,
  freed: "Freed",
  held: "Held for",
  when: "When",
  byRedis: (clock: string) => `${clock}, by Redis's clock`,
  woken: "Waiting",
  waitingThen: {
    waiter: (who: string, others: number) =>
      others > 0 ? `${who}, then ${others} ${others === 1 ? "other" : "others"}` : who,
    undetermined: (count: number, isExact: boolean) =>
      `${isExact ? "" : "at least "}${count} ${count === 1 ? "client was" : "clients were"} waiting and notified`,
    nobody: "no client was waiting",
    no_subscriber: "no client was subscribed",
    not_visible: "unknown: clients that poll are not visible",
  },
  wokenReserved: "they keep waiting until the reservation ends",
  hasIt: "Now",
  freeNow: "nobody has it",
  sinceThen: (ago: ReactNode) => <>, since {ago}</>,
  watched: (left: string) => `Watched for ${left} more, in case its library makes it again.`,
  stayedGone: "Its library did not make it again.",
  keysFreed: (freed: number, of: number) =>
    `${freed} of ${of} other keys with the same token were freed as well.`,
  atMasters: (freed: number, of: number) => `Freed at ${freed} of ${of} masters.`,
  silentMasters: (names: string) =>
    `${names} did not answer: what is left there is no hold any more, and ends with its lease.`,
  isBack: "Released, and the same owner has it again.",
  tookAnew: "It took the lock anew.",
  itsEvent: "Its event in the history",
  itsAudit: "Its entry in the audit",
};
