import type { ReactNode } from "react";

/** The messages for the dialog that releases a lock. */
export const release = {
  namespace: "release" as const,
  title: (key: ReactNode) => <>Release {key}</>,

  // Details of the hold.
  hold: "Holder",
  openedHold: "The hold you opened",
  heldBy: "Held by",
  reserved: "Reserved",
  forMinimumHold: "for its minimum hold time",
  by: (who: ReactNode) => <>by {who}</>,
  notHeld: "The lock is not held.",
  count: (count: number) => `, count ${count}`,
  forHowLong: "Held for",
  typically: (span: string) => `, typically ${span}`,
  expires: "Expires",
  format: "Format",
  votes: "Votes",
  fence: "Fencing token",
  none: "none",
  noFence: "Not acquired through Lockkeeper, so late writes cannot be detected",
  redissonsFence: (fence: string) => `${fence}, issued by Redisson`,

  // Liveness of the holder.
  alive: "Liveness",
  liveness: {
    alive: "The holder appears to be alive",
    overdue: "The renewal is overdue",
    not_renewing: "The holder does not renew its lease",
    no_ttl: "The lock has no TTL",
    unknown: "Liveness is unknown",
  },
  renewals: (count: number, shown: string) => (count === 1 ? "1 renewal seen" : `${shown} renewals seen`),
  noRenewalSince: (ago: string) => `Acquired ${ago}, no renewal seen since`,
  lastRenewal: (silent: string, interval: string) => `Last renewed ${silent} ago, renews every ${interval}`,
  wholeLock: "This is the liveness of the lock as a whole: renewals of its holders cannot be distinguished.",
  noWorker: "The lock is reserved, not held by a client.",

  // Consequences of the release.
  consequences: "What happens next",
  next: "Next holder",
  noneWhileReserved: "None for 60 s, or until you release the reservation. Waiters keep waiting.",
  alsoReleased: "Also released",
  notReleased: "Not released",
  allHolders: (count: number) => `All ${count} holders are released`,
  othersKeep: (count: number) =>
    count === 1 ? "1 other holder keeps the lock" : `${count} other holders keep the lock`,
  andMore: (count: number) => `and ${count} more`,
  nested: (count: number) => `All ${count} acquisitions by this holder are released`,
  keysAlong: (count: number) =>
    count === 1 ? "1 other key with the same token" : `${count} other keys with the same token`,
  keysStay: (count: number) =>
    count === 1
      ? "1 other key that was acquired together with it"
      : `${count} other keys that were acquired together with it`,
  previousHolder: "Previous holder",
  noPreviousHolder: "None: the lock is reserved, not held by a client.",
  fencedOwner: (lost: ReactNode) => (
    <>
      Its next renewal fails with {lost}. Until then it may keep writing: only the fencing token protects the
      resource.
    </>
  ),
  ofFormat: (format: string) => `${format}: `,
  releasing: "Note",

  // Choice of the action.
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
    noRoom: "Not available: locks in this format cannot be reserved.",
    others: "Not available: other holders would still hold the lock.",
  },
  cleared: "The holder's liveness changed. Choose an action.",
  unavailable: "The chosen action is no longer available. Choose another one.",
  selectFormat: "Format",

  // Reason for the action.
  reason: "Reason",
  reasonOptional: "Reason (optional)",
  reasonPlaceholder: "Recorded in the audit log",
  reasons: {
    hold: ["Holder is gone", "Holder is stuck", "Deadlock", "Deployment", "Test"],
    latch: ["A client is gone", "A client is stuck", "Deployment", "Test"],
  },
  reasonRequired: {
    alive: "Enter a reason: the holder appears to be alive.",
    unknown: "Enter a reason: the holder's liveness is unknown.",
  },
  formatRequired: "Select the format first.",
  chooseAction: "Choose an action",
  chooseHint: "Choose an action above.",
  production: {
    alive: (target: string) =>
      `This is a production target, and the holder appears to be alive. Type “${target}” to confirm`,
    unknown: (target: string) =>
      `This is a production target, and the holder's liveness is unknown. Type “${target}” to confirm`,
  },
  typeName: (target: string) => `Type “${target}” to confirm.`,
  recorded: (who: string) => `Recorded in the audit log as ${who}`,
  releaseLock: "Release lock",
  keepWatching: "Keep watching",
  releaseReservation: "Release and reserve",
  isReleasing: "Releasing…",
  submitShortcut: "⌘ or Ctrl + Enter",
  releaseHolder: (what: string, reservation: boolean) =>
    `Release ${what}${reservation ? " and reserve" : ""}`,
  releaseCurrent: (who: string, reservation: boolean) =>
    `Release ${who}’s current hold${reservation ? " and reserve the lock" : ""}`,
  theOwner: "the owner",

  // Changes of the lock while the dialog is open, and failures.
  changedTitles: {
    other_owner: "The hold changed.",
    reacquired: "The owner acquired the lock again.",
    not_followed: "This may be another hold.",
  },
  changedText: "The hold you opened has ended and is shown below. It can no longer be released.",
  reacquiredText: (who: ReactNode) => (
    <>{who} released the lock and acquired it again. The hold you opened has ended and is shown below.</>
  ),
  notFollowedText: (who: ReactNode) => (
    <>
      {who} holds the lock, but the connection to Redis was interrupted. The owner may have released the lock
      and acquired it again in the meantime.
    </>
  ),
  changedThere: "The hold changed. Nothing was released.",
  reviewCurrent: "Review the current hold",
  nowHeldBy: (who: ReactNode) => <>Now held by {who}.</>,
  nowReserved: (who: ReactNode) => <>Now {who}.</>,
  nowFree: "The lock is not held.",
  noResponse: "No response: the lock may or may not have been released.",
  noResponseText:
    "The details below are live. If the hold is still there in a few seconds, retry. A retry releases only this hold, never a later one.",
  unverified: "Could not verify the hold. Nothing was released.",
  unverifiedText: (who: ReactNode) => (
    <>
      The connection to Redis was interrupted, so {who} may have released the lock and acquired it again since
      you opened it.
    </>
  ),
  alreadyGone: "The hold has already ended.",
  goneUnknown: "The lock is not held.",
  goneKnown: (how: string, ago: ReactNode) => (
    <>
      The lock is not held: {how} {ago}.
    </>
  ),
  notReserved: "Nothing was reserved: any client can acquire the lock.",
  checkHistory: "Check the history to see whether your request released it.",

  // Result of the action.
  released: "Released",
  releasedAndReserved: "Released and reserved",
  holdGone: (owner: ReactNode) => <>The hold of {owner} has ended.</>,
  reservationGone: (what: ReactNode) => <>The {what} has ended.</>,
  aHoldGone: "The hold has ended.",
  reservedUntil: (clock: string) =>
    `No client can acquire the lock until ${clock}, unless you release it early.`,
  releasedHolder: "Holder",
  held: "Held for",
  when: "Time",
  byRedis: (clock: string) => `${clock} (Redis time)`,
  waiters: "Waiting",
  waitingThen: {
    waiter: (who: string, others: number) =>
      others > 0 ? `${who}, then ${others} ${others === 1 ? "other" : "others"}` : who,
    undetermined: (count: number, isExact: boolean) =>
      `${isExact ? "" : "at least "}${count} ${count === 1 ? "client was" : "clients were"} waiting and notified`,
    no_waiter: "no client was waiting",
    no_subscriber: "no client was subscribed",
    not_visible: "unknown: clients that poll are not visible",
  },
  waitersReserved: (next: string) => `${next}; they keep waiting until the reservation ends`,
  currentHolder: "Held by",
  noHolder: "not held",
  sinceThen: (ago: ReactNode) => <>, for {ago}</>,
  watching: (left: string) => `Watching for another ${left} in case the library recreates the lock.`,
  notRecreated: "The library did not create the lock again.",
  keysReleased: (released: number, of: number) =>
    `${released} of ${of} other keys with the same token were also released.`,
  atMasters: (released: number, of: number) => `Released on ${released} of ${of} masters.`,
  silentMasters: (names: string) =>
    `No response from ${names}. The leftover vote does not count and expires with its lease.`,
  heldAgain: "Released, but the same owner holds it again.",
  acquiredAgain: "The same owner acquired the lock again.",
  viewEvent: "View event",
  viewAudit: "View audit entry",
};
