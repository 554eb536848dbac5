import { type AnalyzedHistory, isTouching, type Span } from "../history/analyzed-history.ts";
import { type Claim, groupBy, groupByLock } from "../history/claims.ts";
import { findUndisturbed, listDisturbances } from "../history/disturbances.ts";
import { isSemaphore, NS_PER_MS } from "../history/entry.ts";
import { Spans } from "../history/spans.ts";
import { listWaits, type Wait } from "../history/waits.ts";
import { type Check, createViolation, type Violation } from "./check.ts";

/** Maximum time in milliseconds until a waiter has joined the queue, if no fault delays it. */
const JOIN_MS = 400;
/**
 * Returns the time in milliseconds for which a waiter can be cut off from Redis without losing its place. A place in
 * the queue lasts 6 s after the last attempt for a fair lock and 5 s for a semaphore, and attempts are at most 2.4 s
 * apart.
 */
const getLiveMs = ({ kind }: Claim) => (kind === "fair" ? 3000 : 2000);
/** Maximum time in milliseconds between leaving the queue and the history entry of a waiter that gives up. */
const LEAVING_MS = 50;

/**
 * C6: no live waiter of a fair lock or a semaphore is overtaken. A client that was certainly in the queue when another
 * client requested the lock is granted the lock first, even if it needs more permits. A waiter is live unless its
 * process or its connection to Redis was disturbed for long enough to lose its place. Waits during which data was lost
 * or the clock of a server was set are not compared.
 */
export const checkFairness: Check = (history) => {
  const judged = groupByLock(
    history.claims.filter(({ kind }) => kind === "fair" || isSemaphore(kind)),
  ).flatMap((claims) => listOrders(claims, history));
  const grants = new Set(judged.map(({ claim }) => claim));
  return {
    check: "C6",
    title: "fairness",
    violations: judged.flatMap(findOvertaking),
    notes: [
      grants.size === 0
        ? "no fair lock or semaphore"
        : `${grants.size} grants compared with ${judged.length} waiters that were in the queue before`,
    ],
  };
};

/** A grant and a waiter that was certainly in the queue when the granted client requested the lock. */
interface Order {
  readonly claim: Claim;
  readonly earlier: Wait;
  /** The grant of the waiter. `undefined` if it was not granted the lock. */
  readonly earlierClaim: Claim | undefined;
}

function listOrders(claims: readonly Claim[], history: AnalyzedHistory): Order[] {
  const lock = claims[0]?.lock;
  const waits = new Spans(listWaits(history, "acquire").filter((wait) => wait.lock === lock));
  const processes = groupBy([...new Set(history.entries.map(({ process }) => process))], (name) => name);
  const disturbances = new Map([...processes.keys()].map((name) => [name, listDisturbances(history, name)]));
  const claimsByCall = new Map(claims.map((claim) => [formatCall(claim), claim]));
  return claims
    .filter(({ isReentry }) => !isReentry)
    .flatMap((claim) => {
      const around = waits.findTouching({ from: claim.invoke, to: claim.invoke });
      return around.flatMap((earlier) => {
        const own = disturbances.get(earlier.process) ?? [];
        if (earlier.token === claim.token || !isLiveInQueue(earlier, claim, own, history)) return [];
        return [{ claim, earlier, earlierClaim: claimsByCall.get(formatCall(earlier)) }];
      });
    });
}

const formatCall = ({ process, call }: Pick<Claim, "process" | "call">) => `${process}#${call}`;

/**
 * Returns whether the waiter was in the queue when the other client requested the lock and still had its place when
 * that client was granted the lock.
 */
function isLiveInQueue(
  earlier: Wait,
  claim: Claim,
  disturbances: readonly Span[],
  history: AnalyzedHistory,
): boolean {
  if (findUndisturbed(disturbances, earlier.from, JOIN_MS) > claim.invoke) return false;
  const until = { from: earlier.from, to: claim.ack };
  if (history.faults.some((fault) => fault.loses !== "nothing" && isTouching(fault, until))) return false;
  return !disturbances.some(
    ({ from, to }) => to - from >= getLiveMs(claim) * NS_PER_MS && isTouching({ from, to }, until),
  );
}

function findOvertaking({ claim, earlier, earlierClaim }: Order): Violation[] {
  if (earlierClaim === undefined) {
    // A client that gives up leaves the queue, so this is only a violation if the waiter waited until after the grant.
    const left = Math.min(earlier.to, earlier.from + earlier.waitMs * NS_PER_MS) - LEAVING_MS * NS_PER_MS;
    if (claim.ack >= left) return [];
  } else if (BigInt(claim.fence ?? 0) > BigInt(earlierClaim.fence ?? 0)) return [];
  const end =
    earlierClaim === undefined
      ? `was not granted it (${earlier.ending ?? "killed"})`
      : "was granted it later";
  const what = `${claim.token} overtook ${earlier.token}, which was already waiting at the time of its request and ${end}`;
  const { asked, granted } = claim.written;
  return [createViolation("C6", what, [...earlier.entries, asked, granted])];
}
