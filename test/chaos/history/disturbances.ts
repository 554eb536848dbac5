import type { AnalyzedHistory, Span } from "./analyzed-history.ts";
import { NS_PER_MS } from "./entry.ts";
import { getProcessSlot, isOverHttp } from "./process-slot.ts";

/** Time in milliseconds after a fault within which clients reconnect. */
const RECOVERY_MS = 1000;

/**
 * Lists the periods in which a process may not have reached Redis or did not run. The spans are sorted and do not
 * overlap.
 */
export function listDisturbances(history: AnalyzedHistory, process: string): Span[] {
  const slot = getProcessSlot(process);
  const isBetween = (target: string) =>
    target === slot ||
    target.startsWith("server ") ||
    target.startsWith("group ") ||
    (isOverHttp({ process }) && target.startsWith("api "));
  const faults = history.faults.filter(({ target }) => isBetween(target));
  const stalls = history.stalls.filter((stall) => stall.process === process);
  const spans = [...faults, ...stalls].map(({ from, to }) => ({ from, to: to + RECOVERY_MS * NS_PER_MS }));
  return mergeSpans(spans);
}

/** Sorts spans and merges those that overlap. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last === undefined || from > last.to) merged.push({ from, to });
    else merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, to) };
  }
  return merged;
}

/** Returns the earliest time by which a process has run undisturbed for `forMs`, starting at `from`. */
export function findUndisturbed(disturbances: readonly Span[], from: number, forMs: number): number {
  let at = from;
  for (const each of disturbances) {
    if (each.to < at) continue;
    if (each.from >= at + forMs * NS_PER_MS) break;
    at = each.to;
  }
  return at + forMs * NS_PER_MS;
}
