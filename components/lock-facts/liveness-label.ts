import { formatAgo, formatElapsed, formatRemaining } from "@/components/ui/format-duration.ts";
import type { Liveness } from "@/lib/contract/liveness.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";

/** For a cell. `under` is a second line, which only what is wrong has. */
export function formatLivenessLines(
  verdict: Liveness,
  now: number,
  words: Messages["lock"],
): { word: string; under: string } {
  const { state, lastRenewalAt } = verdict;
  const word = words.verdicts[state];
  if (state === "no-expiry") return { word, under: words.neverLapses };
  if (state !== "late") return { word, under: "" };
  const under =
    lastRenewalAt === null ? words.neverRenewed : words.lastRenewed(formatAgo(now - lastRenewalAt, words));
  return { word, under };
}

/** What the verdict rests on, at this moment of Redis's clock. */
export function formatLivenessEvidence(verdict: Liveness, now: number, words: Messages["lock"]): string {
  const { state, watchedMs, lastRenewalAt, cadenceMs, nextExpectedAt, misses } = verdict;
  const last = lastRenewalAt === null ? "" : words.lastRenewed(formatAgo(now - lastRenewalAt, words));
  const every = cadenceMs === null ? "" : words.renewsEvery(formatElapsed(cadenceMs));
  const joined = (...parts: string[]) => words.joined(parts.filter((part) => part !== ""));
  switch (state) {
    case "renewing": {
      const leftMs = nextExpectedAt === null ? 0 : nextExpectedAt - now;
      return joined(last, every, leftMs > 0 ? words.nextIn(formatRemaining(leftMs)) : words.nextNow);
    }
    case "late": {
      const overdue =
        nextExpectedAt === null ? "" : words.wasExpected(formatAgo(now - nextExpectedAt, words));
      return joined(overdue, misses > 0 ? words.missed(misses) : "", last || words.neverRenewed, every);
    }
    case "fixed-lease":
      return words.watchedNever(formatElapsed(watchedMs));
    case "no-expiry":
      return words.noExpiryMeans;
    case "unknown":
      return words.watchedShort(formatElapsed(watchedMs));
  }
}
