import type { SeriesRange } from "@/lib/contract/stats.ts";
import { ui } from "./ui.ts";

const OVER: Readonly<Record<SeriesRange, string>> = { hour: "the last hour", day: "the last 24 hours" };

/** The strip of figures above the locks. */
export const overview = {
  namespace: "overview" as const,
  units: ui.units,
  hide: "Hide the overview",
  menu: {
    title: "Overview options",
    ranges: { hour: "Sparklines: last hour", day: "Sparklines: last 24 hours" },
    current: "Selected",
    showPatterns: "Show patterns",
    hidePatterns: "Hide patterns",
  },
  measures: {
    held: { name: "Held", means: "Locks that are held now.", find: "Show all locks" },
    waiting: {
      name: "Waiting",
      means:
        "Clients that wait for a lock, as far as they can be seen. Clients that only try again and again cannot.",
      find: "Show locks that somebody waits for",
    },
    needsAttention: {
      name: "Needs attention",
      means:
        "Locks without expiry, that nobody renews any more, or that are held for more than twice as long as is typical for their name.",
      find: "Show locks that need attention",
    },
    acquisitionsPerS: {
      name: "Acquired a second",
      means: "Holds that began, a second; re-entries are none.",
      find: "",
    },
    waitedMsP95: {
      name: "Wait p95",
      means: "Of those who waited and got the lock, one in twenty waited for longer.",
      find: "",
    },
  },
  noneYet: "none yet",
  notKnownYet: "not known yet",
  /** @param name of a measure, @param sentence what its line shows */
  line: (name: string, sentence: string) => `${name}. ${sentence}`,
  nothingMeasured: (range: SeriesRange) => `Nothing was measured in ${OVER[range]}.`,
  /** @param since a time of day */
  throughout: (range: SeriesRange, since: string, amount: string) =>
    `In ${OVER[range]}, as far as it was watched since ${since}: ${amount} throughout.`,
  between: (range: SeriesRange, since: string, least: string, most: string) =>
    `In ${OVER[range]}, as far as it was watched since ${since}: between ${least} and ${most}.`,
  /** @param at a time of day */
  older: (at: string) => `These figures are of ${at}; newer ones could not be had.`,
  tops: {
    contended: {
      title: "Most contended",
      means: "Waits and refusals together; of clients of other libraries nobody tells.",
    },
    longestWaits: { title: "Longest waits", means: "p95 of those who waited and got the lock." },
    expiredInUse: {
      title: "Expired in use",
      means: "The holder was still at work when the lock ended: somebody else could take it.",
    },
    forceReleases: {
      title: "Freed by force",
      means: "By an operator or an API key, against the holder.",
    },
    evictions: { title: "Evicted", means: "Redis took the lock away for want of memory." },
  },
  waitsAndRefusals: (waits: string, refusals: string) => `Waited ${waits}, refused at once ${refusals}`,
  halfWaited: (span: string) => `Half waited for less than ${span}`,
  expiredInAll: (count: string) => `Expired in all: ${count}`,
  acquiredInAll: (count: string) => `Acquired in all: ${count}`,
  noneSince: (since: string) => `None since ${since}.`,
  noneInADay: "None in the last 24 hours.",
  search: (pattern: string) => `Search ${pattern}`,
};
