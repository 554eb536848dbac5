import { type AnalyzedHistory, isTouching } from "../history/analyzed-history.ts";
import { type Claim, groupByLock } from "../history/claims.ts";
import { type Entry, NS_PER_MS, toMilliseconds } from "../history/entry.ts";
import { excludesHold } from "../history/exclusion.ts";
import { findLosses } from "../history/losses.ts";
import { getProcessSlot } from "../history/process-slot.ts";
import { type Check, createViolation, type Violation } from "./check.ts";

/** Maximum delay of a timer in a running process on a busy machine, in milliseconds. Recorded stalls are excluded. */
const LATE_MS = 250;
/** Precision of a deadline, in milliseconds. */
const EARLY_MS = 5;

/**
 * C7: before a lock is granted to another client, its previous holder knows that its hold is lost. A check of the hold
 * fails immediately, and a running process receives the signal. There are no false signals.
 *
 * The same applies to holds over HTTP. The API sends no signals, so the timer belongs to the client. The check
 * evaluates the deadline that a client can compute from the API's responses, and the `lost` of a renewal.
 */
export const checkSignal: Check = (history) => {
  const usurped = findSuperseded(history);
  const lates = history.claims.flatMap(({ lostAt, deadline, ack }) =>
    lostAt === undefined || deadline < ack ? [] : [toMilliseconds(lostAt - deadline)],
  );
  const early = lates.filter((ms) => ms < 0).length;
  return {
    check: "C7",
    title: "loss is signalled",
    violations: [
      ...usurped.flatMap((pair) => [
        ...findTrustAfterLoss(pair, history),
        ...findMissingSignal(pair, history),
      ]),
      ...history.claims.flatMap((claim) => findFalseAlarm(claim, history)),
    ],
    notes: [
      `${lates.length} losses signalled, ${early} of them before the deadline; ${formatPercentile(lates, 0.5)} ms after it in the middle, ${formatPercentile(lates, 1)} ms at most (stopped processes included)`,
    ],
  };
};

interface SupersededHold {
  readonly claim: Claim;
  readonly next: Claim;
}

/**
 * Returns whether the wall clock of the process was set during the claim. The client cannot distinguish a clock that is
 * set ahead from a suspended machine, so it correctly ends the hold early.
 */
function isClockStepped({ process, sent, lostAt = 0 }: Claim, { faults }: AnalyzedHistory): boolean {
  const slot = getProcessSlot(process);
  const span = { from: sent, to: lostAt };
  return faults.some((each) => each.fault === "clock-step" && each.target === slot && isTouching(each, span));
}

function findFalseAlarm(claim: Claim, history: AnalyzedHistory): Violation[] {
  const { lostAt, deadline, token } = claim;
  if (lostAt === undefined || lostAt > deadline - EARLY_MS * NS_PER_MS) return [];
  if (isClockStepped(claim, history) || findLosses(history, claim, lostAt).length > 0) return [];
  const what = `${token} was notified of a loss ${toMilliseconds(deadline - lostAt).toFixed(0)} ms before its deadline, without a reason`;
  const { asked, granted, furthest, lost } = claim.written;
  return [createViolation("C7", what, [asked, granted, furthest, lost])];
}

/**
 * Finds holds that must have expired, because they were not released before an excluding hold was granted and no fault
 * explains the grant.
 */
function findSuperseded(history: AnalyzedHistory): SupersededHold[] {
  return groupByLock(history.claims).flatMap((claims) => {
    const sorted = claims.toSorted((one, other) => one.ack - other.ack);
    return sorted.flatMap((claim, at) => {
      const next = sorted
        .slice(at + 1)
        .find((each) => each.token !== claim.token && each.end > each.ack && excludesHold(each, claim));
      if (next === undefined || (claim.release?.invoke ?? Number.POSITIVE_INFINITY) <= next.ack) return [];
      return findLosses(history, claim, next.ack).length > 0 ? [] : [{ claim, next }];
    });
  });
}

const isEntryOf = ({ process, call }: Claim, entry: Entry) =>
  entry.process === process && entry.claim === call;

function findTrustAfterLoss({ claim, next }: SupersededHold, { entries }: AnalyzedHistory): Violation[] {
  const entry = entries.find(
    (each) => each.op === "assert" && each.type === "ok" && each.t > next.ack && isEntryOf(claim, each),
  );
  if (entry === undefined) return [];
  const lateMs = toMilliseconds(entry.t - next.ack).toFixed(1);
  const what = `${claim.token} still counted as held ${lateMs} ms after ${next.token} was granted the lock`;
  return [createViolation("C7", what, [...listTrustEntries(claim), next.written.granted, entry])];
}

function findMissingSignal({ claim, next }: SupersededHold, history: AnalyzedHistory): Violation[] {
  const mine = ({ process }: { readonly process: string }) => process === claim.process;
  const until = next.ack + LATE_MS * NS_PER_MS;
  const span = { from: next.ack - LATE_MS * NS_PER_MS, to: until };
  const isStalled = history.stalls.some((stall) => mine(stall) && isTouching(stall, span));
  // A process without later entries was killed or stopped.
  const isRunning = history.entries.some((entry) => mine(entry) && entry.t > until);
  const isHeard = claim.lostAt !== undefined && claim.lostAt <= until;
  const isReleased = (claim.release?.invoke ?? Number.POSITIVE_INFINITY) <= until;
  if (isHeard || isReleased || isStalled || !isRunning) return [];
  const heard =
    claim.lostAt === undefined ? "never" : `${toMilliseconds(claim.lostAt - next.ack).toFixed(0)} ms later`;
  const what = `${claim.token} was notified ${heard} that ${next.token} was granted the lock`;
  const { lost, release } = claim.written;
  return [createViolation("C7", what, [...listTrustEntries(claim), next.written.granted, lost, release[0]])];
}

const listTrustEntries = ({ written }: Claim) => [written.asked, written.granted, written.furthest];

function formatPercentile(values: readonly number[], share: number): string {
  const sorted = values.toSorted((one, other) => one - other);
  return (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1);
}
