import type { AnalyzedHistory, Span } from "../history/analyzed-history.ts";
import { isTouching } from "../history/analyzed-history.ts";
import { NS_PER_MS } from "../history/entry.ts";
import type { Operation } from "./linearize.ts";

/** Maximum lag of a replica when its master fails, in milliseconds. */
export const LAG_MS = 200;

/** A period in which no writes are undone. */
export interface StableSpan extends Span {
  /** The state of the lock at the start. `unknown` after a failover. */
  readonly begins: "free" | "unknown";
}

export function listStableSpans({ faults }: AnalyzedHistory): StableSpan[] {
  const undoing = faults.filter(({ loses }) => loses === "writes");
  const cuts = undoing.map(({ from, to }) => ({ from: from - LAG_MS * NS_PER_MS, to }));
  const parts: StableSpan[] = [];
  let from = Number.NEGATIVE_INFINITY;
  for (const cut of cuts.toSorted((one, other) => one.from - other.from)) {
    if (cut.from > from) parts.push({ from, to: cut.from, begins: getBeginning(from) });
    from = Math.max(from, cut.to);
  }
  return [...parts, { from, to: Number.POSITIVE_INFINITY, begins: getBeginning(from) }];
}

const getBeginning = (from: number): StableSpan["begins"] =>
  from === Number.NEGATIVE_INFINITY ? "free" : "unknown";

/**
 * Returns the calls in a stable span. A call that extends beyond the span becomes uncertain, because it may have been
 * executed outside of it.
 */
export function clipCalls<Call extends Pick<Operation<never>, "call" | "answer" | "does" | "was" | "rank">>(
  part: StableSpan,
  calls: readonly Call[],
): Call[] {
  return calls.flatMap((call) => {
    const place = { from: call.call, to: call.answer };
    if (place.from >= part.from && place.to <= part.to) return [call];
    if (!isTouching(part, place) || call.does === "looks") return [];
    const clipped = { call: Math.max(place.from, part.from), answer: Math.min(place.to, part.to) };
    return [{ ...call, ...clipped, rank: undefined, was: "maybe" as const }];
  });
}
