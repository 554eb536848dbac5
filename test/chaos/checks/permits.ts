import type { AnalyzedHistory } from "../history/analyzed-history.ts";
import { type Claim, groupByLock } from "../history/claims.ts";
import { isSemaphore } from "../history/entry.ts";
import { findLosses } from "../history/losses.ts";
import { createViolation, type Violation } from "./check.ts";

/**
 * Finds times at which the certain holds of a semaphore have more permits than its limit. Only considers three or more
 * holds, because `findOverlaps` compares pairs.
 */
export function findPermitExcesses(history: AnalyzedHistory): Violation[] {
  const claims = history.claims.filter(({ kind }) => isSemaphore(kind));
  return groupByLock(claims).flatMap((group) => {
    const found: Violation[] = [];
    let active: Claim[] = [];
    for (const claim of group.toSorted((one, other) => one.ack - other.ack)) {
      active = [...active.filter(({ end }) => end > claim.ack), claim];
      const standing = active.filter((each) => each.end > claim.ack && !mayBeLost(each, claim, history));
      const out = sumPermits(standing);
      if (standing.length > 2 && out > claim.limit) found.push(toViolation(standing, out, claim.limit));
    }
    return found;
  });
}

const mayBeLost = (claim: Claim, last: Claim, history: AnalyzedHistory) =>
  findLosses(history, claim, last.ack).length > 0;

const sumPermits = (claims: readonly Claim[]) => claims.reduce((sum, { permits }) => sum + permits, 0);

function toViolation(standing: readonly Claim[], out: number, limit: number): Violation {
  const holders = standing.map(({ token, permits }) => `${token} (${permits})`).join(", ");
  const what = `${out} of ${limit} permits were acquired: ${holders}`;
  const entries = standing.flatMap(({ written }) => [written.granted, written.furthest]);
  return createViolation("C1", what, entries);
}
