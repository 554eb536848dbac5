import type { Holder, Lock } from "@/lib/contract/lock.ts";
import type { Usual, UsualMs } from "@/lib/contract/stats.ts";
import { SAMPLES_LEAST } from "./typical-duration.ts";

/** The one who has had it for the longest, as far as that is known; of several that tell nothing the first. */
export function eldestOf({ holders }: Lock): Holder | undefined {
  return holders.reduce<Holder | undefined>((one, other) => {
    if (one === undefined) return other;
    return (other.since ?? Number.POSITIVE_INFINITY) < (one.since ?? Number.POSITIVE_INFINITY) ? other : one;
  }, undefined);
}

/** What is usual, where enough have ended to tell. */
export function toldOf(usual: UsualMs | null | undefined): UsualMs | undefined {
  return usual == null || usual.samples < SAMPLES_LEAST ? undefined : usual;
}

/** How a time stands to what is usual. `times`: as often as long, where that says more than that it is long. */
export type Standing = { is: "usual" } | { is: "long" } | { is: "times"; times: string };

const TIMES_LEAST = 2;

export function standingOf(ms: number, { p50, p95 }: UsualMs): Standing {
  if (ms <= p95) return { is: "usual" };
  const times = ms / Math.max(1, p50);
  return times < TIMES_LEAST ? { is: "long" } : { is: "times", times: timesText(times) };
}

/** Two figures say enough: `2.5`, `40`, `1,300`. */
function timesText(times: number): string {
  if (times < 10) return (Math.floor(times * 10) / 10).toString();
  const unit = 10 ** (Math.floor(Math.log10(times)) - 1);
  return (Math.floor(times / unit) * unit).toLocaleString("en-US");
}

/** The longest that is known of: the end of the last stretch. */
export function longestOf(spread: Usual["heldSpread"]): number {
  return spread.at(-1)?.toMs ?? 0;
}
