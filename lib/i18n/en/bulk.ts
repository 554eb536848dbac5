import type { BulkOutcome } from "@/lib/contract/actions/bulk-release.ts";

const OUTCOMES: Readonly<Record<BulkOutcome, string>> = {
  released: "freed",
  would_release: "would be freed",
  already_gone: "gone already",
  changed: "held by another hold now",
  unverified: "could not be verified as the same hold",
  format_required: "its format has to be named: free it alone",
  read_only: "never freed from here",
  forbidden: "not yours to free",
  unknown: "no answer: may or may not be freed",
  failed: "failed",
};

const formatLockCount = (count: number, shown: string) => (count === 1 ? "1 lock" : `${shown} locks`);

/** The sheet that frees many locks. */
export const bulk = {
  namespace: "bulk" as const,
  outcomes: OUTCOMES,
  /** What stands between the parts of a line, and before who holds it now. */
  between: ", ",
  colon: ": ",
  titleReviewing: "Looking…",
  titleReviewed: (count: number, shown: string) => `Free ${formatLockCount(count, shown)}`,
  titleFreeing: (count: number, shown: string) => `Freeing ${formatLockCount(count, shown)}…`,
  titleEnded: "What became of them",
  lookingAt: "Looking at each of them…",
  looked: (done: string, of: string) => `${done} of ${of} looked at`,
  stop: "Stop",
  free: (count: number, shown: string) => `Free ${formatLockCount(count, shown)}`,
  recorded: (who: string) => `Recorded one by one as ${who}`,
  nothingDone: "Nothing was released.",
  lookAtNew: (count: number, shown: string) =>
    count === 1 ? "Look at the hold there is now" : `Look at the ${shown} holds there are now`,
  sayWhy: "Say why: a release of several needs a reason.",
  production: (target: string) => `Production. Type “${target}” to confirm`,

  tooMany: (found: string, most: string) =>
    `${found} are meant; these are the first ${most}. The others stay as they are.`,
  alive: (count: string) => `${count} of their holders renew: they are alive, and may be working.`,
  waited: (count: string) => `For ${count} somebody waits, and gets it next.`,
  shared: (count: string) => `Of ${count} others keep a part.`,
  unfenced: (count: string) => `Of ${count} the format is not certain.`,
  wouldBe: (count: string) => `Would be freed: ${count}`,
  leftAlone: (count: string) => `Left alone: ${count}`,
  onlyThese:
    "Each is freed only if it is still the hold that stands here. Holds that begin later are left alone.",
  nothingToFree: "There is nothing to free.",
  list: "The locks, one by one",

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

  soFar: "Freed so far",
  progress: (done: string, of: string) => `${done} of ${of}`,
  freeing: "Freeing…",
  stopped: (freed: string) => `Stopped: ${freed} freed.`,
  brokeOff: (freed: string) => `The answer broke off: ${freed} freed.`,
  allFreed: "All freed.",
  someFreed: (freed: string, of: string) => `${freed} of ${of} freed.`,
  counted: (count: string, what: string) => `${count} ${what}`,
  notBegun: (count: string) =>
    `${count} not begun, or finished after the stop: the table and the events show what became of them.`,
  untold: (count: string) => `${count} without an answer: the table and the events show what became of them.`,
  freed: (count: string) => `Freed: ${count}`,
  notFreed: (count: string, what: string) => `${count} ${what}`,
  lookAgain: (count: number, shown: string) =>
    `Look at ${count === 1 ? "the 1 that is" : `the ${shown} that are`} left again`,
  csv: "Save as CSV",
  audit: "Their entries in the audit",
};
