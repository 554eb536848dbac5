import { formatSpan } from "@/components/ui/format-duration.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import type { TypicalMs } from "@/lib/contract/stats.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";

/** One or two holds say nothing of what is usual. */
export const SAMPLES_MIN = 3;
/** As the server judges: of fewer nobody knows the longest in twenty. */
const SAMPLES_TO_JUDGE = 20;

/** "": too few holds have ended to tell. */
export function formatTypicalDuration(usual: TypicalMs, messages: Pick<Messages["lock"], "usual">): string {
  return usual.samples < SAMPLES_MIN ? "" : messages.usual(formatSpan(usual.p50));
}

/** What `held>usual` asks, as far as the page can tell. */
export function isLongerThanTypical(lock: Lock, usual: TypicalMs | undefined, now: number | null): boolean {
  if (usual === undefined || now === null || lock.state !== "held") return false;
  if (usual.samples < SAMPLES_TO_JUDGE) return false;
  const began = lock.holders.flatMap(({ since }) => since ?? []);
  return began.length > 0 && now - Math.min(...began) > usual.p95;
}
