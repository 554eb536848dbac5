import type { AnalyzedHistory } from "../history/analyzed-history.ts";
import type { Claim } from "../history/claims.ts";
import { type Entry, isEntering } from "../history/entry.ts";
import { findDataLosses, findLosses } from "../history/losses.ts";
import { type Check, createViolation, type Violation } from "./check.ts";

/**
 * C8: a semaphore grants the requested number of permits. The count of a hold is the number of its acquires and
 * re-entries minus its releases, even if replies were lost. Each call with an unknown outcome makes the count uncertain
 * by one. A hold that certainly exists is not denied.
 */
export const checkCounts: Check = (history) => {
  const tokens = new Map<string, Entry[]>();
  for (const entry of history.entries) {
    if (entry.token === undefined || (!isEntering(entry) && entry.op !== "release")) continue;
    tokens.set(entry.token, [...(tokens.get(entry.token) ?? []), entry]);
  }
  const again = history.claims.filter(({ count }) => count > 1).length;
  return {
    check: "C8",
    title: "counts",
    violations: [
      ...[...tokens.values()].flatMap((calls) => findMiscounts(calls, history)),
      ...history.claims.flatMap((claim) => findDenials(claim, history)),
      ...history.claims.flatMap(findOtherPermits),
    ],
    notes: [`${again} holds re-entered`],
  };
};

/** Finds wrong counts in the calls on one hold. These calls never overlap. */
function findMiscounts(calls: readonly Entry[], history: AnalyzedHistory): Violation[] {
  const found: Violation[] = [];
  let certain = 0;
  let possible = 0;
  /** Entries that may have changed the count. */
  const counted: Entry[] = [];
  for (const entry of calls) {
    const { op, type, count = 0, code, token = "" } = entry;
    // A data loss can remove the count of a hold but not its lock.
    if (findDataLosses(history, { from: calls[0]?.t ?? 0, to: entry.t }).length > 0) certain = 0;
    if (type === "ok" || type === "info") counted.push(entry);
    if (op === "reenter" && type === "info") possible++;
    if (isEntering(entry) && type === "ok") {
      const by = op === "resume" ? count : 1;
      possible += by;
      certain += by;
      if (op !== "reenter" && possible > by) {
        const what = `${token} was granted to two holds`;
        found.push(createViolation("C8", what, counted));
      }
      if (count > possible || count < certain) {
        const what = `${token} entered ${certain} to ${possible} times, but the reported count was ${count}`;
        found.push(createViolation("C8", what, counted));
      }
    }
    if (op === "release" && type === "info") certain = Math.max(0, certain - 1);
    if (op === "release" && type === "ok" && code !== "not_held") {
      certain = Math.max(0, certain - 1);
      possible--;
      if (count > possible || count < certain || (code === "released") !== (count === 0)) {
        const what = `${token} has a count of ${certain} to ${possible}, but the reply was ${code}, ${count}`;
        found.push(createViolation("C8", what, counted));
      }
    }
  }
  return found;
}

function findOtherPermits({ token, permits, written: { asked, granted } }: Claim): Violation[] {
  if (asked.permits === undefined || asked.permits === permits) return [];
  const what = `${token} requested ${asked.permits} permits and was granted ${permits}`;
  return [createViolation("C8", what, [asked, granted])];
}

function findDenials(claim: Claim, history: AnalyzedHistory): Violation[] {
  const { release, deadline, token, written } = claim;
  if (release?.code !== "not_held" || release.ack === undefined || release.ack > deadline) return [];
  if (claim.lostAt !== undefined && claim.lostAt < release.invoke) return [];
  if (findLosses(history, claim, release.ack).length > 0) return [];
  const what = `${token} released an existing hold, but the reply was that it does not exist`;
  return [
    createViolation("C8", what, [written.asked, written.granted, written.furthest, ...written.release]),
  ];
}
