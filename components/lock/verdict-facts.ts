import { formatAgo, formatElapsed, formatRemaining } from "@/components/ui/duration.ts";
import type { Verdict, VerdictState } from "@/lib/contract/verdict.ts";

export const VERDICT_TEXT: Record<VerdictState, string> = {
  renewing: "renewing",
  late: "late",
  "fixed-lease": "fixed lease",
  "no-expiry": "no expiry",
  unknown: "",
};

/** What each means, where one is chosen. */
export const VERDICT_HINTS: Readonly<Record<VerdictState, string>> = {
  renewing: "Its holder renews it as expected",
  late: "It should have been renewed by now",
  "fixed-lease": "Watched, and never renewed",
  "no-expiry": "It never lapses by itself",
  unknown: "Not watched for long enough",
};

/** For a cell. `under` is a second line, which only what is wrong has. */
export function verdictLines(verdict: Verdict, now: number): { word: string; under: string } {
  const { state, lastRenewalAt } = verdict;
  switch (state) {
    case "late":
      return {
        word: "late",
        under:
          lastRenewalAt === null ? "never seen to renew" : `last renewed ${formatAgo(now - lastRenewalAt)}`,
      };
    case "no-expiry":
      return { word: "no expiry", under: "never lapses by itself" };
    case "unknown":
      return { word: "too early to tell", under: "" };
    default:
      return { word: VERDICT_TEXT[state], under: "" };
  }
}

/** What the verdict rests on, at this moment of Redis's clock. */
export function evidenceOf(verdict: Verdict, now: number): string {
  const { state, watchedMs, lastRenewalAt, cadenceMs, nextExpectedAt, misses } = verdict;
  const last = lastRenewalAt === null ? "" : `last renewed ${formatAgo(now - lastRenewalAt)}`;
  const every = cadenceMs === null ? "" : `every ${formatElapsed(cadenceMs)}`;
  switch (state) {
    case "renewing": {
      const leftMs = nextExpectedAt === null ? 0 : nextExpectedAt - now;
      const next = leftMs > 0 ? `next expected in ${formatRemaining(leftMs)}` : "next expected now";
      return joined(last, every, next);
    }
    case "late": {
      const overdue = nextExpectedAt === null ? "" : `expected ${formatAgo(now - nextExpectedAt)}`;
      return joined(overdue, misses > 0 ? `${misses} missed` : "", last || "never seen to renew", every);
    }
    case "fixed-lease":
      return `watched for ${formatElapsed(watchedMs)} and never renewed`;
    case "no-expiry":
      return "it never lapses by itself, and nothing tells whether its holder is alive";
    case "unknown":
      return `watched for ${formatElapsed(watchedMs)}: not long enough to tell`;
  }
}

function joined(...parts: string[]): string {
  return parts.filter((part) => part !== "").join(", ");
}
