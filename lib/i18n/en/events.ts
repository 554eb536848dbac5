import type { EventType } from "@/lib/contract/event.ts";

const names: Readonly<Record<EventType, string>> = {
  acquired: "acquired",
  reentered: "reentered",
  renewed: "renewed",
  released: "released",
  expired: "expired",
  evicted: "evicted",
  force_released: "force released",
  waiting: "waiting",
  wait_ended: "wait ended",
  seen: "seen",
  recreated: "recreated",
};

/** What happened, in one line. `who` and `reason` may hold text from Redis. */
export const events = {
  namespace: "events" as const,
  names,
  inferred: "inferred",
  inferredHint: "Concluded from what was seen in Redis",
  gap: (from: string, to: string) => `Nobody watched from ${from} to ${to}: what happened then is not known.`,
  gapSpan: (from: string, to: string) => `${from} to ${to}`,
  fence: (fence: string) => `fence ${fence}`,
  count: (count: number) => `count ${count}`,
  countLeft: (count: number) => `count ${count} left`,
  by: (who: string) => `by ${who}`,
  quoted: (reason: string) => `“${reason}”`,
  extendedFor: (who: string) => `more time for ${who}`,
  heldFor: (time: string) => `after ${time}`,
  after: (who: string, time: string) => `${who} after ${time}`,
  from: (who: string) => `from ${who}`,
  notReleased: "not released",
  recreated: "made again after it was freed",
  evictedForMemory: "Redis threw it out to save memory",
  between: ", ",
  endings: {
    byOwner: "its owner released it",
    released: "it was released",
    expired: "it expired",
    evicted: "Redis evicted it",
    byOperator: "it was freed by an operator",
    releasedBy: (who: string) => `${who} freed it`,
    ended: "it ended",
  },
  panel: {
    title: "Events",
    latest: "Latest events",
    show: "Show events",
    hide: "Hide events",
    nothing: "Nothing has happened yet.",
    renewals: (count: number, locks: number) =>
      `${count} ${count === 1 ? "renewal" : "renewals"} of ${locks} ${locks === 1 ? "lock" : "locks"}`,
    all: "All events",
  },
  pause: {
    pause: "Pause",
    resume: "Go on",
    pauseEvents: "Pause the events",
    resumeEvents: "Go on with the events",
    fresh: (count: number, text: string) => `${text} new ${count === 1 ? "event" : "events"}`,
  },
};
