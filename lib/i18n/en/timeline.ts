/** Who held one lock when, on its page. */
export const timeline = {
  namespace: "timeline" as const,
  title: "Timeline",
  holds: "Holds, by holder",
  choose: "Choose a hold with the arrow keys or the pointer.",
  shown: "Shown on the timeline",
  latest: "Latest holds",
  all: "All that is loaded",
  wrong: "What is wrong or unknown",
  expired: "expired",
  forced: "freed by force, or evicted",
  dashed: "Dashed: its end or its beginning was not seen",
  overlap: "Hatched: two holders at one time",
  others: (count: number) =>
    count === 1 ? "1 earlier holder is not drawn." : `${count} earlier holders are not drawn.`,
  notWatched: "not watched",
  gap: (from: string, to: string) => `Nobody watched from ${from} to ${to}`,
  now: "now",

  heldNow: "held now",
  heldThen: "held at that time",
  overdueNow: "held now, renewal overdue",
  fenceDigits: "Digits: end of the fencing token",
  olderHolds: "Load older holds",
  noHolds: "No holds are recorded up to this time.",
  /** The lock at a time in the past. */
  heldAt: {
    command: "Who held this lock at…",
    label: "Who held it at",
    placeholder: "10:47:04 or 5 m ago",
    show: "Show",
    now: "Back to now",
    invalid:
      "Enter a time in the past: 10:47:04, 2026-11-23 10:47:04, or 5 m for five minutes ago (s, m, h, d).",
    title: (time: string) => `At ${time}`,
    loading: "Loading…",
    failed: "The history is unavailable.",
    nobody: "Nobody held the lock.",
    unknown: "No holder is recorded.",
    forgotten: "Unknown: events of that time are no longer stored.",
    unwatched: "Lockkeeper did not watch this target at that time, so holds may be missing.",
  },

  /** What a hold was, in sentences. */
  notTold: "not told",
  maybeEarlier: "It may have begun earlier.",
  fence: (fence: string) => `Its fence is ${fence}.`,
  reason: (reason: string) => `The reason given was “${reason}”.`,
  sentences: (all: readonly string[]) => all.join(" "),
  open: (who: string, since: string) => `${who} has held it since ${since}.`,
  unobserved: (who: string, since: string, until: string) =>
    `${who} held it from ${since} to ${until} at most; its end was not seen.`,
  endUnknown: (who: string, since: string) => `${who} held it from ${since}; its end was not recorded.`,
  ends: {
    released: (who: string, since: string, until: string, span: string) =>
      `${who} held it from ${since} to ${until}, for ${span}, and it was released.`,
    expired: (who: string, since: string, until: string, span: string) =>
      `${who} held it from ${since} to ${until}, for ${span}, and it expired: nobody released it.`,
    evicted: (who: string, since: string, until: string, span: string) =>
      `${who} held it from ${since} to ${until}, for ${span}, and Redis evicted it to save memory.`,
    force_released: (who: string, since: string, until: string, span: string) =>
      `${who} held it from ${since} to ${until}, for ${span}, and it was freed by force.`,
  },
  forcedBy: (who: string, since: string, until: string, span: string, by: string) =>
    `${who} held it from ${since} to ${until}, for ${span}, and ${by} freed it by force.`,
  twoHolders: (first: string, second: string, span: string, since: string) =>
    `Two holders at one time: ${first} and ${second}, for ${span} from ${since}. Only a fence at the resource tells their writes apart.`,
  twoMaybe: (first: string, second: string, span: string, since: string) =>
    `${first} and ${second} held it at one time, for ${span} from ${since}. That is right only if this lock takes several holders.`,

  /** The events below it. */
  events: "Recent events",
  looking: "Looking…",
  failed: "The past could not be read.",
  none: "None seen.",
  older: "Load older",
  loadingOlder: "Loading…",
  onTheirWay: "They are on their way.",
  notKept: "Older events are not kept.",
};
