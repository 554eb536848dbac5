import { formatSpan } from "@/components/ui/format-duration.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import type { TypicalMs } from "@/lib/contract/stats.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { isLivenessCritical } from "./liveness-label.ts";

/** One or two holds say nothing of what is typical. */
export const SAMPLES_MIN = 3;
/** As the server judges: of fewer nobody knows the longest in twenty. */
const SAMPLES_TO_JUDGE = 20;

/** "": too few holds have ended to tell. */
export function formatTypicalDuration(
  typical: TypicalMs,
  messages: Pick<Messages["lock"], "typical" | "units">,
): string {
  return typical.samples < SAMPLES_MIN ? "" : messages.typical(formatSpan(typical.p50, messages));
}

/** What `held>typical` asks, as far as the page can tell. `times` multiplies the typical time. */
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

/** As `is:needs_attention` on the server. */
const TYPICAL_FACTOR_MAX = 2;

/** Whether a lock matches `is:needs_attention`, as far as the page can tell. */
export function needsAttention(lock: Lock, typical: TypicalMs | undefined, now: number | null): boolean {
  if (lock.state !== "held" || lock.unlisted === true) return false;
  if (isLivenessCritical(lock)) return true;
  return isLongerThanTypical(lock, typical, now, TYPICAL_FACTOR_MAX);
}
