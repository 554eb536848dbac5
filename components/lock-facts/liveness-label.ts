import { formatAgo, formatElapsed, formatRemaining } from "@/components/ui/format-duration.ts";
import type { Liveness } from "@/lib/contract/liveness.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";

/** For a cell. `under` is a second line, which only what is wrong has. */
export function formatLivenessLines(
  verdict: Liveness,
  now: number,
  messages: Messages["lock"],
): { word: string; under: string } {
  const { state, lastRenewalAt } = verdict;
  const word = messages.verdicts[state];
  if (state === "no-expiry") return { word, under: messages.neverLapses };
  if (state !== "late") return { word, under: "" };
  const under =
    lastRenewalAt === null
      ? messages.neverRenewed
      : messages.lastRenewed(formatAgo(now - lastRenewalAt, messages));
  return { word, under };
}

/** What the verdict rests on, at this moment of Redis's clock. */
export function formatLivenessEvidence(verdict: Liveness, now: number, messages: Messages["lock"]): string {
  const { state, watchedMs, lastRenewalAt, cadenceMs, nextExpectedAt, misses } = verdict;
  const last = lastRenewalAt === null ? "" : messages.lastRenewed(formatAgo(now - lastRenewalAt, messages));
  const every = cadenceMs === null ? "" : messages.renewsEvery(formatElapsed(cadenceMs));
  const joined = (...parts: string[]) => messages.joined(parts.filter((part) => part !== ""));
  switch (state) {
    case "renewing": {
      const leftMs = nextExpectedAt === null ? 0 : nextExpectedAt - now;
      return joined(last, every, leftMs > 0 ? messages.nextIn(formatRemaining(leftMs)) : messages.nextNow);
    }
    case "late": {
      const overdue =
        nextExpectedAt === null ? "" : messages.wasExpected(formatAgo(now - nextExpectedAt, messages));
      return joined(overdue, misses > 0 ? messages.missed(misses) : "", last || messages.neverRenewed, every);
    }
    case "fixed-lease":
      return messages.watchedNever(formatElapsed(watchedMs));
    case "no-expiry":
      return messages.noExpiryMeans;
    case "unknown":
      return messages.watchedShort(formatElapsed(watchedMs));
  }
}
