import type { AnalyzedHistory, Span, Step } from "../history/analyzed-history.ts";
import type { Claim } from "../history/claims.ts";
import { type Entry, isEntering, NS_PER_MS } from "../history/entry.ts";
import { countServers } from "../servers/topology.ts";

/** Time in milliseconds after a client abandoned a request in which the request may still arrive. */
const ON_ITS_WAY_MS = 500;

/**
 * Returns the periods in which a lock may still be held in Redis after its holder's deadline because of clock steps. A
 * clock that is set back during a lease extends the lease by the size of the step. Returns no periods if no clock was
 * set.
 */
export function findLateLeases(history: AnalyzedHistory, lock: string): Span[] {
  const targets = new Map<string, Step[]>();
  for (const { target, steps } of history.faults) {
    if (steps.length > 0) targets.set(target, [...(targets.get(target) ?? []), ...steps]);
  }
  if (targets.size === 0) return [];
  const leases = findAbandonedLeases(history, lock);
  const leaseNs = getLongestLeaseMs(history) * NS_PER_MS;
  const kept = [...targets].map(([, steps]) =>
    leases.flatMap((given) => {
      const ends = computeLeaseEnd(given, leaseNs, steps);
      return ends > given.to + leaseNs ? [{ from: given.from, to: ends }] : [];
    }),
  );
  const servers = countServers(history.topology);
  // With fewer late servers, a majority can grant the lock.
  return findCoverage(kept, servers - Math.floor(servers / 2));
}

export function getLongestLeaseMs({ entries }: AnalyzedHistory): number {
  return entries.reduce((longest, { leaseMs = 0 }) => Math.max(longest, leaseMs), 0);
}

/** Returns the periods in which a lease may have been granted or extended without a confirmed release. */
function findAbandonedLeases(history: AnalyzedHistory, lock: string): Span[] {
  const seen = new Map<string, number>();
  for (const { process, t } of history.entries) seen.set(process, t);
  const claims = history.claims
    .filter((claim) => claim.lock === lock && !isReleased(claim))
    .map(({ sent, deadline, process }) => ({
      from: sent,
      to: Math.min(deadline, seen.get(process) ?? deadline),
    }));
  const open = new Map<string, Entry>();
  const unheard: Span[] = [];
  for (const entry of history.entries) {
    if (!isEntering(entry) || entry.lock !== lock) continue;
    const name = `${entry.process}#${entry.call}`;
    const invoked = open.get(name);
    if (entry.type === "invoke") open.set(name, entry);
    else open.delete(name);
    if (entry.type === "info" && invoked !== undefined) unheard.push({ from: invoked.t, to: entry.t });
  }
  for (const { t, process } of open.values()) unheard.push({ from: t, to: seen.get(process) ?? t });
  return [...claims, ...unheard.map(({ from, to }) => ({ from, to: to + ON_ITS_WAY_MS * NS_PER_MS }))];
}

export function isReleased({ release }: Claim): boolean {
  return release?.code === "released";
}

/** Computes the latest end of a lease on a server if the lease may have begun at any time in the span. */
function computeLeaseEnd({ from, to }: Span, leaseNs: number, steps: readonly Step[]): number {
  const times = steps.flatMap((step) => [step.from, step.to]).sort((one, other) => one - other);
  const begun = [from, to, ...times.filter((time) => time > from && time < to)];
  const endsAt = Math.max(...begun.map((time) => time + computeLatestOffset(time, steps))) + leaseNs;
  const parts = [to, ...times.filter((time) => time > to)];
  for (const [n, part] of parts.entries()) {
    const ends = Math.max(part, endsAt - computeEarliestOffset(part, steps));
    if (ends < (parts[n + 1] ?? Number.POSITIVE_INFINITY)) return ends;
  }
  return to;
}

// The exact time of a step within its span is unknown. These functions return the largest and the smallest possible
// offset of the clock.
const computeLatestOffset = (time: number, steps: readonly Step[]) =>
  sumOffsets(steps.filter((step) => (step.aheadMs > 0 ? step.from <= time : step.to < time)));
const computeEarliestOffset = (time: number, steps: readonly Step[]) =>
  sumOffsets(steps.filter((step) => (step.aheadMs > 0 ? step.to <= time : step.from <= time)));
const sumOffsets = (steps: readonly Step[]) =>
  steps.reduce((all, { aheadMs }) => all + aheadMs * NS_PER_MS, 0);

/** Returns the periods in which at least `least` servers have a span. */
function findCoverage(kept: readonly (readonly Span[])[], least: number): Span[] {
  const times = kept.flat().flatMap(({ from, to }) => [from, to]);
  const sorted = [...new Set(times)].sort((one, other) => one - other);
  return sorted.slice(1).flatMap((to, n) => {
    const from = sorted[n] ?? to;
    const having = kept.filter((spans) => spans.some((span) => span.from <= from && span.to >= to));
    return having.length >= least ? [{ from, to }] : [];
  });
}
