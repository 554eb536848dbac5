import type { ReactNode } from "react";

/** The sheet that frees one lock. */
export const release = {
  namespace: "release" as const,
  title: (key: ReactNode) => <>Free {key}</>,

  // What is freed.
  asSeen: "What you are about to free",
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
  alive: "Is its holder alive?",
  liveness: {
    alive: "It appears to be alive",
    overdue: "Its renewal is overdue",
    not_renewing: "Unknown: it does not renew",
    no_ttl: "Unknown: the lock has no TTL",
    unknown: "Not known yet",
  },
  renewals: (count: number, shown: string) =>
    count === 1 ? "1 renewal was seen so far" : `${shown} renewals were seen so far`,
  lastHeard: (ago: string) => `taken ${ago}, and not heard of since`,
  heartbeat: (heard: string, cadence: string) =>
    `${heard} since it was heard of, of ${cadence} between renewals`,
  ofAll: "This is of the lock as a whole: its holders cannot be told apart.",
  nobodyWorks: "No client works under a reservation.",

  // What happens then.
  follows: "What happens then",
  next: "Next",
  firstInLine: (who: ReactNode, waited: string | null) => (
    <>
      {who} is first in line{waited !== null && `, for ${waited}`}
    </>
  ),
  firstToCome: (who: ReactNode, waited: string | null) => (
    <>
      {who} has waited longest{waited !== null && `, for ${waited}`}
    </>
  ),
  thenOthers: (count: number) => (count === 1 ? ", then 1 more" : `, then ${count} more`),
  andOthers: (count: number) => (count === 1 ? ", with 1 more" : `, with ${count} more`),
  redissonFair: "The first in line is woken; the others keep their places.",
  redissonPlain: "Each client that listens is told, and whoever asks first gets it.",
  nobodyUntil: "Nobody gets it for 60 s, or until you free it before; those who wait go on waiting.",
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
  oldOwner: "Old owner",
  noOldOwner: "none: no client works under a reservation",
  fencedOwner: (lost: ReactNode) => (
    <>
      Its next renew answers {lost}. Until then it may still be writing: only the fence protects what it
      touches.
    </>
  ),
  ofFormat: (format: string) => `${format}: `,
  releasing: "Releasing",

  // How.
  how: "How",
  lapse: "Let it lapse",
  lapseHint: (left: ReactNode) => <>in {left}, unless its owner renews it; nothing is done to it</>,
  reservationLapseHint: (left: ReactNode) => <>in {left}, by itself</>,
  release: "Release now",
  releaseHint: "only if it is still this hold; nothing happens to any other",
  reservation: (seconds: number) => `Release and reserve for ${seconds} s`,
  reservationHint: "no client can acquire the lock; it is held in your name and you can release it early",
  notOffered: "Not offered",
  not: (what: string, why: string) => `${what} is not offered: ${why}.`,
  why: {
    renewed: "its owner renews it, so it does not lapse",
    noTtl: "it has no TTL, so it never expires",
    noRoom: "its format cannot be reserved",
    others: "others keep the lock, so it cannot be reserved",
    noWay: "no library listens for such a request",
  },
  ask: "Ask the holder",
  itsFormat: "Its format",

  // Why.
  reason: "Reason",
  reasonOptional: "Reason (optional: it does not look alive)",
  reasonPlaceholder: "For whoever looks at this later",
  reasons: ["Its owner is gone", "Its owner hangs", "Deployment", "Test"],
  sayWhy: "Say why: its holder looks alive.",
  nameFormat: "Name its format first.",
  chooseHow: "Choose how.",
  production: (name: string) => `This is production, and its holder looks alive. Type its name: ${name}`,
  typeName: "Type the name of the target.",
  recorded: (who: string) => `Will be recorded as ${who}, with the reason`,
  watchLapse: "Watch it lapse",
  releaseReservation: "Release and reserve",
  isReleasing: "Releasing…",
  sends: "⌘ or Ctrl with Enter sends",
  releaseThe: (what: string, reservation: boolean) => `Release ${what}${reservation ? " and reserve" : ""}`,
  releaseWhatever: (who: string, reservation: boolean) =>
    `Release whatever ${who} holds now${reservation ? " and reserve" : ""}`,
  itsOwner: "its owner",

  // What came between.
  changedHere: "The hold changed while you looked.",
  changedText: "What stands below is the hold that you opened; nothing can be sent for it any more.",
  changedThere: "Changed: nothing was released.",
  lookAtNew: "Look at the new hold",
  nowHeldBy: (who: ReactNode) => <>Now held by {who}.</>,
  nowReserved: (who: ReactNode) => <>Now {who}.</>,
  nowFree: "It is free now.",
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
  released: "Released.",
  releasedAndReserved: "Released and reserved.",
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
  wokenExact: (count: number) =>
    count === 0
      ? "nobody waited"
      : count === 1
        ? "1 waited and was told"
        : `${count} waited and were told as their library does`,
  wokenListeners: (count: number) =>
    count === 0
      ? "no client listened"
      : count === 1
        ? "1 client that listened was told"
        : `${count} clients that listened were told`,
  wokenFirst: (who: string, more: number) =>
    more > 0 ? `${who} was first in line, before ${more} more` : `${who} was next in line`,
  wokenLongest: (who: string, more: number) =>
    more > 0 ? `${who} had waited longest, with ${more} more` : `${who} waited`,
  wokenUnseen: "who asks again and again cannot be seen, and gets it when it asks next",
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
