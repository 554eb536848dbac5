import { type AnalyzedHistory, isTouching } from "../history/analyzed-history.ts";
import { type Claim, groupByLock } from "../history/claims.ts";
import { NS_PER_MS } from "../history/entry.ts";
import { isReadWrite } from "../history/exclusion.ts";
import { findFenceLosses } from "../history/losses.ts";
import { type Check, createViolation, type Violation } from "./check.ts";
import { findUnknownWriters } from "./reader-fences.ts";
import { LAG_MS } from "./stable-spans.ts";

/**
 * C2: the fences of a lock are unique and increase in real time. Readers of a read/write lock have the fence of the last
 * writer. A re-entry is not compared, because the clients report one fence per hold: if Redis changes it, their next
 * request fails, which the other checks report.
 */
export const checkFenceOrder: Check = (history) => {
  const { claims } = history;
  const holds = claims.filter(({ isReentry }) => !isReentry);
  const broken = groupByLock(claims).flatMap((group) => [...findDuplicates(group), ...findInversions(group)]);
  const isUndone = ({ before, claim }: OrderBreach) => isReaderAfterFailover(before, claim, history);
  const undone = broken.filter(isUndone);
  const isDocumented = ({ claim }: OrderBreach) => findAcquireLosses(claim, history).length > 0;
  return {
    check: "C2",
    title: "order of fences",
    violations: [
      ...groupByLock(claims).flatMap(findUnfenced),
      ...groupByLock(claims.filter(isReadWrite)).flatMap((group) => findUnknownWriters(group, history)),
      ...broken.filter((each) => !isDocumented(each) && !isUndone(each)).map(({ violation }) => violation),
    ],
    notes: [
      `${holds.length} fencing tokens`,
      ...describeUndone(undone),
      ...describeKnownCauses(history, broken.filter(isDocumented)),
    ],
  };
};

/** Two claims where the later one does not have the larger fence. */
interface OrderBreach {
  readonly before: Claim;
  readonly claim: Claim;
  readonly violation: Violation;
}

const findAcquireLosses = ({ sent, ack }: Claim, history: AnalyzedHistory) =>
  findFenceLosses(history, { from: sent, to: ack });

/**
 * Returns whether a failover explains the smaller fence of a reader. If a failover undoes the grant of a writer,
 * readers have the fence of the previous writer until the next writer is granted the lock.
 */
function isReaderAfterFailover(before: Claim, claim: Claim, { faults }: AnalyzedHistory): boolean {
  if (claim.kind !== "read") return false;
  return faults.some(({ loses, from, to }) => {
    const undone = { from: from - LAG_MS * NS_PER_MS, to };
    return (
      loses === "writes" && from <= claim.ack && isTouching(undone, { from: before.sent, to: before.ack })
    );
  });
}

function describeUndone(undone: readonly OrderBreach[]): string[] {
  if (undone.length === 0) return [];
  return [
    `${undone.length} readers had the fencing token of an earlier writer after a failover had undone the last writer's grant`,
  ];
}

/** Describes whether the faults that are known to break the order did so in this history. */
function describeKnownCauses(history: AnalyzedHistory, broken: readonly OrderBreach[]): string[] {
  const names = [
    ...new Set(history.faults.filter(({ loses }) => loses === "fences").map(({ fault }) => fault)),
  ];
  if (names.length === 0) return [];
  const by = names.join(", ");
  if (history.topology === "quorum") return [`${by} on a minority may not break their order`];
  return [
    broken.length === 0
      ? `their order was not seen to break, though ${by} may break it`
      : `their order broke ${broken.length} times by ${by}, as documented: ${broken[0]?.violation.what}`,
  ];
}

const isFirst = ({ isReentry, fence }: Claim) => !isReentry && fence !== null;

function findUnfenced(claims: readonly Claim[]): Violation[] {
  return claims.flatMap((claim) =>
    claim.fence === null
      ? [createViolation("C2", `${claim.token} was granted without a fencing token`, [claim.written.granted])]
      : [],
  );
}

function findDuplicates(claims: readonly Claim[]): OrderBreach[] {
  const seen = new Map<string, Claim>();
  // Readers share the fence of a writer.
  const exclusive = claims.filter((claim) => isFirst(claim) && claim.kind !== "read");
  return exclusive.flatMap((claim) => {
    const before = seen.get(String(claim.fence));
    seen.set(String(claim.fence), claim);
    if (before === undefined) return [];
    const what = `${before.token} and ${claim.token} were granted the same fencing token, ${claim.fence}`;
    return [
      {
        before,
        claim,
        violation: createViolation("C2", what, [before.written.granted, claim.written.granted]),
      },
    ];
  });
}

/**
 * Finds claims with a smaller fence than an earlier claim. A claim is only certainly earlier if its reply was received
 * before the other request was sent.
 */
function findInversions(claims: readonly Claim[]): OrderBreach[] {
  const holds = claims.filter(isFirst);
  const answered = holds.toSorted((one, other) => one.ack - other.ack);
  const found: OrderBreach[] = [];
  let at = 0;
  let highest: Claim | undefined;
  for (const claim of holds.toSorted((one, other) => one.sent - other.sent)) {
    for (let next = answered[at]; next !== undefined && next.ack < claim.sent; next = answered[++at]) {
      if (highest === undefined || isAbove(next, highest)) highest = next;
    }
    if (highest !== undefined && isOutOfOrder(highest, claim)) {
      const what = `${claim.token} was granted ${claim.fence} after ${highest.token} had ${highest.fence}`;
      const { asked, granted } = claim.written;
      found.push({
        before: highest,
        claim,
        violation: createViolation("C2", what, [highest.written.granted, asked, granted]),
      });
    }
  }
  return found;
}

/**
 * Returns whether the fences of two claims contradict their order. A writer must have a larger fence than each earlier
 * reader. `findDuplicates` compares the fences of writers.
 */
function isOutOfOrder(before: Claim, claim: Claim): boolean {
  if (before.kind === "read" && claim.kind === "write" && before.fence === claim.fence) return true;
  return isAbove(before, claim);
}

const isAbove = (one: Claim, other: Claim) => BigInt(one.fence ?? 0) > BigInt(other.fence ?? 0);
