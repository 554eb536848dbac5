import type { AnalyzedHistory, Span } from "../history/analyzed-history.ts";
import { isTouching } from "../history/analyzed-history.ts";
import { NS_PER_MS } from "../history/entry.ts";
import type { Operation } from "./linearize.ts";

/** The maximum lag of a replica when its master fails. */
export const LAG_MS = 200;

/** A period in which no writes are undone. */
export interface StableSpan extends Span {
  /** `unknown`: it follows a failover, after which the state of the lock is unknown. */
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

/** The calls of that time. One that reaches beyond it may have been carried out on either side. */
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
