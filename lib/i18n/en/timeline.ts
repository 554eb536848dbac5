/** Messages for the timeline of holds on the lock page. */
export const timeline = {
  namespace: "timeline" as const,
  title: "Timeline",
  holds: "Holds, by holder",
  choose: "Use the arrow keys or the pointer to select a hold.",
  shown: "Shown on the timeline",
  latest: "Latest holds",
  all: "All loaded holds",
  problems: "Problems and gaps",
  expired: "expired",
  forced: "force-released or evicted",
  requests: "release requested, accepted, refused",
  dashed: "Dashed: start or end not observed",
  overlap: "Hatched: overlapping holders",
  others: (count: number) =>
    count === 1 ? "1 earlier holder not shown." : `${count} earlier holders not shown.`,
  notWatched: "not watched",
  gap: (from: string, to: string) => `Not observed from ${from} to ${to}`,
  now: "now",

  heldNow: "held now",
  heldThen: "held at that time",
  overdueNow: "held now, renewal overdue",
  fenceDigits: "Digits: last digits of the fencing token",
  olderHolds: "Load older holds",
  noHolds: "No holds are recorded up to this time.",
  /** Messages of the view that shows who held the lock at a time in the past. */
  heldAt: {
    command: "Show the holder at a point in time…",
    label: "Holder at",
    placeholder: "10:47:04 or 5 m ago",
    show: "Show",
    now: "Back to now",
    invalid:
      "Enter a time in the past, such as 10:47:04, 2026-11-23 10:47:04, or 5 m for five minutes ago (s, m, h, d).",
    title: (time: string) => `At ${time}`,
    loading: "Loading…",
    failed: "The history is unavailable.",
    notHeld: "The lock was not held.",
    unknown: "No holder is recorded.",
    forgotten: "Unknown: events from that time are no longer stored.",
    unwatched: "Lockkeeper was not watching this target at that time, so holds may be missing.",
  },

  // Descriptions of holds.
  unknownOwner: "unknown owner",
  maybeEarlier: "It may have started earlier.",
  fence: (fence: string) => `Fencing token: ${fence}.`,
  reason: (reason: string) => `Reason: “${reason}”.`,
  requested: (by: string, time: string, reason: string) =>
    `At ${time}, ${by} asked the holder to release it${reason === "" ? "" : ` (“${reason}”)`}.`,
  accepted: (time: string, text: string) =>
    `The holder accepted at ${time}${text === "" ? "" : `: “${text}”`}.`,
  refused: (time: string, text: string) =>
    `The holder refused at ${time}${text === "" ? "" : `: “${text}”`}.`,
  sentences: (all: readonly string[]) => all.join(" "),
  open: (who: string, since: string) => `${who} has held it since ${since}.`,
  unobserved: (who: string, since: string, until: string) =>
    `${who} held it from ${since} until ${until} at the latest. The end was not observed.`,
  endUnknown: (who: string, since: string) => `${who} held it from ${since}. No end is recorded.`,
  ends: {
    released: (who: string, since: string, until: string, span: string) =>
      `${who} held it from ${since} to ${until} (${span}). Released.`,
    expired: (who: string, since: string, until: string, span: string) =>
      `${who} held it from ${since} to ${until} (${span}). Expired without a release.`,
    evicted: (who: string, since: string, until: string, span: string) =>
      `${who} held it from ${since} to ${until} (${span}). Evicted by Redis to reclaim memory.`,
    force_released: (who: string, since: string, until: string, span: string) =>
      `${who} held it from ${since} to ${until} (${span}). Force-released.`,
  },
  forcedBy: (who: string, since: string, until: string, span: string, by: string) =>
    `${who} held it from ${since} to ${until} (${span}). Force-released by ${by}.`,
  twoHolders: (first: string, second: string, span: string, since: string) =>
    `Two holders at the same time: ${first} and ${second}, for ${span} from ${since}. Only a fencing token can distinguish their writes at the resource.`,
  twoMaybe: (first: string, second: string, span: string, since: string) =>
    `${first} and ${second} held it at the same time, for ${span} from ${since}. This is expected only if the lock allows several holders.`,

  // Events below the timeline.
  events: "Recent events",
  looking: "Loading…",
  failed: "Could not load the history.",
  none: "No events.",
  older: "Load older events",
  loadingOlder: "Loading…",
  onTheirWay: "Loading.",
  notKept: "Older events are no longer stored.",
};
