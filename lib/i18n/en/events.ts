import type { EventType } from "@/lib/contract/event.ts";

const names: Readonly<Record<EventType, string>> = {
  acquired: "acquired",
  reentered: "re-entered",
  renewed: "renewed",
  released: "released",
  expired: "expired",
  evicted: "evicted",
  force_released: "force-released",
  waiting: "waiting",
  wait_ended: "stopped waiting",
  seen: "first seen",
  recreated: "re-created",
};

/** Event lines. `who` and `reason` can contain text from Redis. */
export const events = {
  namespace: "events" as const,
  names,
  inferred: "inferred",
  inferredHint: "Inferred from the state of Redis",
  gap: (from: string, to: string) => `Not observed from ${from} to ${to}. Events in this period are unknown.`,
  gapSpan: (from: string, to: string) => `${from} to ${to}`,
  fence: (fence: string) => `fence ${fence}`,
  count: (count: number) => `count ${count}`,
  countLeft: (count: number) => `count ${count} remaining`,
  by: (who: string) => `by ${who}`,
  quoted: (reason: string) => `“${reason}”`,
  extendedFor: (who: string) => `lease of ${who} extended`,
  heldFor: (time: string) => `after ${time}`,
  after: (who: string, time: string) => `${who} after ${time}`,
  from: (who: string) => `from ${who}`,
  notReleased: "never released",
  recreated: "re-created after release",
  evictedForMemory: "evicted by Redis to reclaim memory",
  between: ", ",
  endings: {
    byOwner: "its owner released it",
    released: "it was released",
    expired: "it expired",
    evicted: "Redis evicted it",
    byOperator: "an operator force-released it",
    releasedBy: (who: string) => `${who} force-released it`,
    ended: "it ended",
  },
  panel: {
    title: "Events",
    latest: "Latest events",
    show: "Show events",
    hide: "Hide events",
    nothing: "No events yet.",
    renewals: (count: number, locks: number) =>
      `${count} ${count === 1 ? "renewal" : "renewals"} of ${locks} ${locks === 1 ? "lock" : "locks"}`,
    all: "View all events",
  },
  pause: {
    pause: "Pause",
    resume: "Resume",
    pauseEvents: "Pause events",
    resumeEvents: "Resume events",
    fresh: (count: number, text: string) => `${text} new ${count === 1 ? "event" : "events"}`,
  },
};
