import { formatSpan } from "@/components/ui/format-duration.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import type { TypicalMs } from "@/lib/contract/stats.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { isLivenessCritical } from "./liveness-label.ts";

/** Minimum number of ended holds or waits needed to show a typical duration. */
export const SAMPLES_MIN = 3;
/** Minimum number of ended holds needed to compare a hold with p95. Must match the server. */
const SAMPLES_TO_JUDGE = 20;

/** Formats a typical duration (p50), such as `typical 4 s`. Returns "" if fewer than `SAMPLES_MIN` holds have ended. */
export function formatTypicalDuration(
  typical: TypicalMs,
  messages: Pick<Messages["lock"], "typical" | "units">,
): string {
  return typical.samples < SAMPLES_MIN ? "" : messages.typical(formatSpan(typical.p50, messages));
}

/**
 * Returns whether a lock has been held for longer than `times` times the p95 of its key pattern. With `times` = 1, the
 * result matches the server's filter `held>typical`. Returns `false` if the typical duration is unknown or is based on
 * fewer than 20 holds.
 *
 * @param times the multiple of p95 that the hold must exceed
 */
export function isLongerThanTypical(
  lock: Lock,
  typical: TypicalMs | undefined,
  now: number | null,
  times = 1,
): boolean {
  if (typical === undefined || now === null || lock.state !== "held") return false;
  if (typical.samples < SAMPLES_TO_JUDGE) return false;
  const began = lock.holders.flatMap(({ since }) => since ?? []);
  return began.length > 0 && now - Math.min(...began) > times * typical.p95;
}

/** Multiple of p95 above which a hold needs attention. Must match `is:needs_attention` on the server. */
const TYPICAL_FACTOR_MAX = 2;

/**
 * Returns whether a lock needs attention: it is overdue, has no TTL, or has been held for unusually long. Always false
 * for latches, unlisted locks and locks that are not held. The result matches the server's filter `is:needs_attention`.
 */
export function needsAttention(lock: Lock, typical: TypicalMs | undefined, now: number | null): boolean {
  if (lock.state !== "held" || lock.unlisted === true || lock.kind === "latch") return false;
  if (isLivenessCritical(lock)) return true;
  return isLongerThanTypical(lock, typical, now, TYPICAL_FACTOR_MAX);
}
