import type { AnalyzedHistory, Span } from "./analyzed-history.ts";
import { NS_PER_MS } from "./entry.ts";
import { getProcessSlot, isOverHttp } from "./process-slot.ts";

/** So long after a fault a client finds its way back. */
const RECOVERY_MS = 1000;

/** When a process may not have reached Redis, or did not run: in order, and apart from each other. */
export function listDisturbances(story: AnalyzedHistory, process: string): Span[] {
  const slot = getProcessSlot(process);
  const isBetween = (target: string) =>
    target === slot ||
    target.startsWith("server ") ||
    target.startsWith("group ") ||
    (isOverHttp({ process }) && target.startsWith("api "));
  const faults = story.faults.filter(({ target }) => isBetween(target));
  const stalls = story.stalls.filter((stall) => stall.process === process);
  const spans = [...faults, ...stalls].map(({ from, to }) => ({ from, to: to + RECOVERY_MS * NS_PER_MS }));
  return mergeSpans(spans);
}

/** In order, and apart from each other. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last === undefined || from > last.to) merged.push({ from, to });
    else merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, to) };
  }
  return merged;
}

/** The first moment from which on nothing had disturbed the process for that long, from another moment on. */
export function findUndisturbed(disturbances: readonly Span[], from: number, forMs: number): number {
  let at = from;
  for (const each of disturbances) {
    if (each.to < at) continue;
    if (each.from >= at + forMs * NS_PER_MS) break;
    at = each.to;
  }
  return at + forMs * NS_PER_MS;
}
