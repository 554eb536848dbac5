import type { SeriesRange } from "@/lib/contract/stats.ts";
import { ui } from "./ui.ts";

const OVER: Readonly<Record<SeriesRange, string>> = { hour: "the last hour", day: "the last 24 hours" };

/** The messages for the overview above the list of locks. */
export const overview = {
  namespace: "overview" as const,
  units: ui.units,
  hide: "Hide overview",
  menu: {
    title: "Overview options",
    ranges: { hour: "Sparklines: last hour", day: "Sparklines: last 24 hours" },
    current: "Selected",
    showPatterns: "Show patterns",
    hidePatterns: "Hide patterns",
  },
  measures: {
    held: { name: "Held", means: "Locks held now.", find: "Show all locks" },
    waiting: {
      name: "Waiting",
      means: "Clients waiting for a lock, except those that poll.",
      find: "Show locks with waiters",
    },
    needsAttention: {
      name: "Needs attention",
      means:
        "Locks without a TTL, with an overdue renewal, or held for over twice the typical time of their pattern.",
      find: "Show locks that need attention",
    },
    acquisitionsPerS: {
      name: "Acquired/s",
      means: "New holds per second, excluding re-entries.",
      find: "",
    },
    waitedMsP95: {
      name: "Wait p95",
      means: "95th percentile wait time of clients that waited and then acquired the lock.",
      find: "",
    },
  },
  noneYet: "none yet",
  unknown: "unknown",
  /** @param name name of a measure @param sentence description of its sparkline */
  line: (name: string, sentence: string) => `${name}. ${sentence}`,
  nothingMeasured: (range: SeriesRange) => `No data in ${OVER[range]}.`,
  /** @param since time of day at which the data starts */
  throughout: (range: SeriesRange, since: string, amount: string) =>
    `Over ${OVER[range]} (data since ${since}): constant at ${amount}.`,
  between: (range: SeriesRange, since: string, least: string, most: string) =>
    `Over ${OVER[range]} (data since ${since}): between ${least} and ${most}.`,
  /** @param at time of day at which the figures were read */
  staleFigures: (at: string) => `Figures from ${at}. Newer figures are unavailable.`,
  tops: {
    contended: {
      title: "Most contended",
      means: "Waits plus immediate refusals. Lockkeeper clients only.",
    },
    longestWaits: {
      title: "Longest waits",
      means: "p95 wait time of clients that waited and then acquired the lock.",
    },
    expiredInUse: {
      title: "Expired in use",
      means: "The lock expired while its holder was still working, so another client could acquire it.",
    },
    forceReleases: {
      title: "Force-released",
      means: "By an operator or an API key.",
    },
    evictions: { title: "Evicted", means: "Redis evicted the lock to reclaim memory." },
  },
  waitsAndRefusals: (waits: string, refusals: string) => `Waits: ${waits}, immediate refusals: ${refusals}`,
  halfWaited: (span: string) => `Median ${span}`,
  expiredInAll: (count: string) => `Total expired: ${count}`,
  acquiredInAll: (count: string) => `Acquired in total: ${count}`,
  noneSince: (since: string) => `None since ${since}.`,
  noneInADay: "None in the last 24 hours.",
  search: (pattern: string) => `Search ${pattern}`,
};
