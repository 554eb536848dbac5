import { byLock, type Claim } from "../history/claims.ts";
import { type Entry, inMs, NS_PER_MS } from "../history/entry.ts";
import { lossesOf } from "../history/losses.ts";
import { seatOf } from "../history/seat.ts";
import { type Story, touches } from "../history/story.ts";
import { type Check, type Violation, violationOf } from "./finding.ts";

/** A timer of a process that runs is not later than this on a busy machine; what it stood still for is added. */
const LATE_MS = 250;
/** A deadline is known to a millisecond or two. */
const EARLY_MS = 5;

/**
 * C7: before somebody else is told that the lock is his, its holder knows that it is lost: whoever looks is told so at
 * once, and a process that runs hears the signal. Nobody is told so for nothing.
 *
 * Of who holds over HTTP all of this is asked, too. The API signals nothing by itself, so the timer is the app's own;
 * what is judged is the deadline that an app can reckon from the API's answers, and the `lost` of a renewal.
 */
export const signal: Check = (story) => {
  const usurped = usurpedIn(story);
  const lates = story.claims.flatMap(({ lostAt, deadline, ack }) =>
    lostAt === undefined || deadline < ack ? [] : [inMs(lostAt - deadline)],
  );
  const early = lates.filter((ms) => ms < 0).length;
  return {
    check: "C7",
    title: "loss is signalled",
    violations: [
      ...usurped.flatMap((pair) => [...trusted(pair, story), ...silent(pair, story)]),
      ...story.claims.flatMap((claim) => falseAlarm(claim, story)),
    ],
    notes: [
      `${lates.length} losses signalled, ${early} of them before the deadline; ${percentile(lates, 0.5)} ms after it in the middle, ${percentile(lates, 1)} ms at most (stopped processes included)`,
    ],
  };
};

interface Usurped {
  readonly claim: Claim;
  readonly next: Claim;
}

/** A clock that is set ahead ends a hold early, as it should: a suspended machine looks just like that. */
function isHurried({ process, sent, lostAt = 0 }: Claim, { faults }: Story): boolean {
  const seat = seatOf(process);
  const span = { from: sent, to: lostAt };
  return faults.some((each) => each.fault === "clock-step" && each.target === seat && touches(each, span));
}

function falseAlarm(claim: Claim, story: Story): Violation[] {
  const { lostAt, deadline, owner } = claim;
  if (lostAt === undefined || lostAt > deadline - EARLY_MS * NS_PER_MS) return [];
  if (isHurried(claim, story) || lossesOf(story, claim, lostAt).length > 0) return [];
  const what = `${owner} was told that it lost the lock ${inMs(deadline - lostAt).toFixed(0)} ms before its deadline, for no reason`;
  const { asked, granted, furthest, lost } = claim.written;
  return [violationOf("C7", what, [asked, granted, furthest, lost])];
}

/** Holds that were not given back when somebody else was granted the lock, for no other reason than time. */
function usurpedIn(story: Story): Usurped[] {
  return byLock(story.claims).flatMap((claims) => {
    const sorted = claims.toSorted((one, other) => one.ack - other.ack);
    return sorted.flatMap((claim, at) => {
      const next = sorted.slice(at + 1).find(({ owner, end, ack }) => owner !== claim.owner && end > ack);
      if (next === undefined || (claim.release?.invoke ?? Number.POSITIVE_INFINITY) <= next.ack) return [];
      return lossesOf(story, claim, next.ack).length > 0 ? [] : [{ claim, next }];
    });
  });
}

const isOf = ({ process, call }: Claim, entry: Entry) => entry.process === process && entry.claim === call;

function trusted({ claim, next }: Usurped, { history }: Story): Violation[] {
  const entry = history.find(
    (each) => each.op === "assert" && each.type === "ok" && each.t > next.ack && isOf(claim, each),
  );
  if (entry === undefined) return [];
  const lateMs = inMs(entry.t - next.ack).toFixed(1);
  const what = `${claim.owner} was told that it holds it ${lateMs} ms after ${next.owner} was granted it`;
  return [violationOf("C7", what, [...trustIn(claim), next.written.granted, entry])];
}

function silent({ claim, next }: Usurped, story: Story): Violation[] {
  const mine = ({ process }: { readonly process: string }) => process === claim.process;
  const until = next.ack + LATE_MS * NS_PER_MS;
  const span = { from: next.ack - LATE_MS * NS_PER_MS, to: until };
  const isStalled = story.stalls.some((stall) => mine(stall) && touches(stall, span));
  // A process without an entry after that was killed, or has just been stopped.
  const isRunning = story.history.some((entry) => mine(entry) && entry.t > until);
  const isHeard = claim.lostAt !== undefined && claim.lostAt <= until;
  const isReleased = (claim.release?.invoke ?? Number.POSITIVE_INFINITY) <= until;
  if (isHeard || isReleased || isStalled || !isRunning) return [];
  const heard = claim.lostAt === undefined ? "never" : `${inMs(claim.lostAt - next.ack).toFixed(0)} ms later`;
  const what = `${claim.owner} heard ${heard} that ${next.owner} was granted the lock`;
  const { lost, release } = claim.written;
  return [violationOf("C7", what, [...trustIn(claim), next.written.granted, lost, release[0]])];
}

const trustIn = ({ written }: Claim) => [written.asked, written.granted, written.furthest];

function percentile(values: readonly number[], share: number): string {
  const sorted = values.toSorted((one, other) => one - other);
  return (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1);
}
