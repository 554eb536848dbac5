import { formatAgo, formatElapsed, formatRemaining } from "@/components/ui/format-duration.ts";
import type { Liveness } from "@/lib/contract/liveness.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";

/** Returns whether a lock needs attention because of its liveness. Always false for unlisted locks. */
export function isLivenessCritical({ liveness, unlisted }: Pick<Lock, "liveness" | "unlisted">): boolean {
  return unlisted !== true && (liveness?.state === "overdue" || liveness?.state === "no_ttl");
}

/**
 * Formats the liveness for a cell of the table. `under` is the second line; "" unless the state is `overdue` or
 * `no_ttl`.
 */
export function formatLivenessLines(
  liveness: Liveness,
  now: number,
  messages: Messages["lock"],
): { word: string; under: string } {
  const { state, lastRenewalAt } = liveness;
  const word = messages.liveness[state];
  if (state === "no_ttl") return { word, under: messages.neverExpires };
  if (state !== "overdue") return { word, under: "" };
  const under =
    lastRenewalAt === null
      ? messages.neverRenewed
      : messages.lastRenewed(formatAgo(now - lastRenewalAt, messages));
  return { word, under };
}

/**
 * Formats the evidence for a liveness state, such as the last renewal and the renewal interval.
 *
 * @param now time on the Redis clock in Unix milliseconds
 */
export function formatLivenessEvidence(liveness: Liveness, now: number, messages: Messages["lock"]): string {
  const { state, watchedMs, lastRenewalAt, renewalIntervalMs, nextRenewalExpectedAt } = liveness;
  const last = lastRenewalAt === null ? "" : messages.lastRenewed(formatAgo(now - lastRenewalAt, messages));
  const every =
    renewalIntervalMs === null ? "" : messages.renewsEvery(formatElapsed(renewalIntervalMs, messages));
  const joined = (...parts: string[]) => messages.joined(parts.filter((part) => part !== ""));
  switch (state) {
    case "alive": {
      if (nextRenewalExpectedAt === null) return joined(last, every);
      const leftMs = nextRenewalExpectedAt - now;
      return joined(
        last,
        every,
        leftMs > 0 ? messages.nextIn(formatRemaining(leftMs, messages)) : messages.nextNow,
      );
    }
    case "overdue": {
      const overdue =
        nextRenewalExpectedAt === null
          ? ""
          : messages.wasExpected(formatAgo(now - nextRenewalExpectedAt, messages));
      const missed = countMissedRenewals(liveness, now);
      return joined(overdue, missed > 0 ? messages.missed(missed) : "", last || messages.neverRenewed, every);
    }
    case "not_renewing":
      if (lastRenewalAt !== null) return joined(last, messages.noRegularRenewals);
      return messages.watchedNever(formatElapsed(watchedMs, messages));
    case "no_ttl":
      return messages.noTtlMeans;
    case "unknown":
      return joined(last, messages.watchedShort(formatElapsed(watchedMs, messages)));
  }
}

/**
 * Counts missed renewals up to `now` with the same formula as the server. The server updates its count
 * (`missedRenewals`) only when it reads the lock.
 */
function countMissedRenewals(
  { missedRenewals, renewalIntervalMs, nextRenewalExpectedAt }: Liveness,
  now: number,
): number {
  if (renewalIntervalMs === null || nextRenewalExpectedAt === null) return missedRenewals;
  const missed = Math.floor((now - nextRenewalExpectedAt) / renewalIntervalMs + 1 / 2);
  return Math.max(missedRenewals, missed);
}
