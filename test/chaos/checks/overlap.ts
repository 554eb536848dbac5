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
  /** Faults that may have ended one of the two claims before the other was granted. Empty if there are none. */
  readonly losses: readonly FaultSpan[];
}

/**
 * C1: holds that exclude each other never certainly exist at the same time, and the holds of a semaphore never have
 * more permits than its limit. Holds that a fault may have ended are excepted.
 */
export const checkOverlap: Check = (history) => {
  const overlaps = findOverlaps(history);
  return {
    check: "C1",
    title: "mutual exclusion",
    violations: [
      ...overlaps.filter(({ losses }) => losses.length === 0).map(toViolation),
      ...findPermitExcesses(history),
    ],
    notes: [`${formatHolds(history)}; ${formatTable(history, overlaps)}`],
  };
};

export function findOverlaps(history: AnalyzedHistory): Overlap[] {
  return groupByLock(history.claims).flatMap((claims) => {
    const found: Overlap[] = [];
    let active: Claim[] = [];
    for (const other of claims.toSorted((one, two) => one.ack - two.ack)) {
      active = active.filter(({ end }) => end > other.ack);
      for (const one of active) {
        const span = one.token === other.token ? undefined : findConflict(one, other);
        if (span === undefined) continue;
        // It is unknown which claim was granted first, so the losses of both before the grant of the other one count.
        const losses = new Set([
          ...findLosses(history, one, other.ack),
          ...findLosses(history, other, one.ack),
        ]);
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
  const what = `${one.token} (fence ${one.fence}) and ${other.token} (fence ${other.fence}) both held the lock for ${toMilliseconds(to - from).toFixed(1)} ms`;
  return createViolation("C1", what, [
    ...listHoldEntries(one, { from, to }),
    ...listHoldEntries(other, { from, to }),
  ]);
}

/**
 * Lists the entries that prove that the claim was held in the given span, and the end of the claim if that ended the
 * span.
 */
function listHoldEntries({ written, end, endedBy }: Claim, { from, to }: Span): (Entry | undefined)[] {
  const { asked, granted, furthest, lost, release } = written;
  const isRenewed = (granted.deadline ?? 0) <= from;
  const last = { deadline: furthest, loss: lost, release: release[0] }[endedBy];
  return [asked, granted, ...(isRenewed ? [furthest] : []), ...(end === to ? [last] : [])];
}

/** Formats how long locks were held twice, grouped by the faults that were active at the time. */
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
    return `${name}: ${ms.length} overlaps, ${sum.toFixed(0)} ms in total, the longest ${Math.max(...ms).toFixed(0)} ms`;
  });
  return texts.join("; ");
}
