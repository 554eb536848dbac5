import { type AnalyzedHistory, type FaultSpan, isTouching, type Span } from "../history/analyzed-history.ts";
import { type Claim, groupByLock } from "../history/claims.ts";
import { type Entry, toMilliseconds } from "../history/entry.ts";
import { findConflict } from "../history/exclusion.ts";
import { findLosses } from "../history/losses.ts";
import { isOverHttp } from "../history/process-slot.ts";
import { type Check, createViolation, type Violation } from "./check.ts";
import { findPermitExcesses } from "./permits.ts";

export interface Overlap {
  readonly one: Claim;
  readonly other: Claim;
  readonly from: number;
  readonly to: number;
  /** The faults that may have ended the first claim; empty if none is known. */
  readonly losses: readonly FaultSpan[];
}

/**
 * C1: no two holds that exclude each other certainly exist at the same time, and the holds of a semaphore have no more
 * permits than its limit, unless holds were lost by a fault that can cause this.
 */
export const checkOverlap: Check = (story) => {
  const overlaps = findOverlaps(story);
  return {
    check: "C1",
    title: "mutual exclusion",
    violations: [
      ...overlaps.filter(({ losses }) => losses.length === 0).map(toViolation),
      ...findPermitExcesses(story),
    ],
    notes: [`${formatHolds(story)}; ${formatTable(story, overlaps)}`],
  };
};

export function findOverlaps(story: AnalyzedHistory): Overlap[] {
  return groupByLock(story.claims).flatMap((claims) => {
    const found: Overlap[] = [];
    let active: Claim[] = [];
    for (const other of claims.toSorted((one, two) => one.ack - two.ack)) {
      active = active.filter(({ end }) => end > other.ack);
      for (const one of active) {
        const span = one.token === other.token ? undefined : findConflict(one, other);
        if (span === undefined) continue;
        // It is unknown which of them was granted first. That one was lost before the other client received its grant.
        const losses = new Set([...findLosses(story, one, other.ack), ...findLosses(story, other, one.ack)]);
        found.push({ one, other, ...span, losses: [...losses] });
      }
      active.push(other);
    }
    return found;
  });
}

function formatHolds({ claims }: AnalyzedHistory): string {
  const kinds = new Map<string, number>();
  for (const { kind } of claims) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const each = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(", ");
  const ofKinds = kinds.size < 2 ? "" : ` (${each})`;
  return `${claims.length} holds${ofKinds}, ${claims.filter(isOverHttp).length} of them over HTTP`;
}

function toViolation({ one, other, from, to }: Overlap): Violation {
  const what = `${one.token} (fence ${one.fence}) and ${other.token} (fence ${other.fence}) both held it for ${toMilliseconds(to - from).toFixed(1)} ms`;
  return createViolation("C1", what, [
    ...listHoldEntries(one, { from, to }),
    ...listHoldEntries(other, { from, to }),
  ]);
}

/** Lists the entries that show that the claim was held then, and its end if it ended first. */
function listHoldEntries({ written, end, endedBy }: Claim, { from, to }: Span): (Entry | undefined)[] {
  const { asked, granted, furthest, lost, release } = written;
  const isRenewed = (granted.deadline ?? 0) <= from;
  const last = { deadline: furthest, loss: lost, release: release[0] }[endedBy];
  return [asked, granted, ...(isRenewed ? [furthest] : []), ...(end === to ? [last] : [])];
}

/** Formats how long locks were held twice, by the faults at that time. */
function formatTable({ faults }: AnalyzedHistory, overlaps: readonly Overlap[]): string {
  if (overlaps.length === 0) return "no overlap";
  const rows = new Map<string, number[]>();
  for (const { one, from, to, losses } of overlaps) {
    const around =
      losses.length > 0 ? losses : faults.filter((fault) => isTouching(fault, { from: one.sent, to }));
    const name = [...new Set(around.map(({ fault }) => fault))].sort().join(" + ") || "no fault";
    rows.set(name, [...(rows.get(name) ?? []), toMilliseconds(to - from)]);
  }
  const texts = [...rows].map(([name, ms]) => {
    const sum = ms.reduce((total, each) => total + each, 0);
    return `${name}: ${ms.length} overlaps, ${sum.toFixed(0)} ms in all, ${Math.max(...ms).toFixed(0)} ms the longest`;
  });
  return texts.join("; ");
}
