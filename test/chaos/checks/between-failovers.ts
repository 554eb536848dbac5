import { NS_PER_MS } from "../history/entry.ts";
import type { Span, Story } from "../history/story.ts";
import { touches } from "../history/story.ts";
import type { Call } from "./lock-losses.ts";

/** What a replica may be behind by when its master goes. */
const LAG_MS = 200;

/** A stretch of time in which nothing that was written is undone. */
export interface Part extends Span {
  /** `unknown`: a failover was before it, and left the lock as nobody can say. */
  readonly begins: "free" | "unknown";
}

export function partsOf({ faults }: Story): Part[] {
  const undoing = faults.filter(({ loses }) => loses === "writes");
  const cuts = undoing.map(({ from, to }) => ({ from: from - LAG_MS * NS_PER_MS, to }));
  const parts: Part[] = [];
  let from = Number.NEGATIVE_INFINITY;
  for (const cut of cuts.toSorted((one, other) => one.from - other.from)) {
    if (cut.from > from) parts.push({ from, to: cut.from, begins: beginning(from) });
    from = Math.max(from, cut.to);
  }
  return [...parts, { from, to: Number.POSITIVE_INFINITY, begins: beginning(from) }];
}

const beginning = (from: number): Part["begins"] => (from === Number.NEGATIVE_INFINITY ? "free" : "unknown");

/** The calls of that time. One that reaches beyond it may have been carried out on either side. */
export function within(part: Part, calls: readonly Call[]): Call[] {
  return calls.flatMap((call) => {
    const place = { from: call.call, to: call.answer };
    if (place.from >= part.from && place.to <= part.to) return [call];
    if (!touches(part, place) || call.does === "looks") return [];
    const { rank: _, ...rest } = call;
    const clipped = { call: Math.max(place.from, part.from), answer: Math.min(place.to, part.to) };
    return [{ ...rest, ...clipped, was: "maybe" as const }];
  });
}
