import { type AnalyzedHistory, isTouching, type Span } from "../history/analyzed-history.ts";
import {
  type ConditionCalls,
  type ConditionWait,
  listConditions,
  type Signal,
} from "../history/condition-calls.ts";
import { listDisturbances } from "../history/disturbances.ts";
import { NS_PER_MS } from "../history/entry.ts";
import { BUFFER_CAPACITY } from "../locks-under-test.ts";
import { type Check, createViolation, type Violation } from "./check.ts";
import { canUse, listAlternatives, type Matching, matchSignals } from "./signal-matching.ts";

/**
 * A waiter that is cut off from Redis for less than this time in milliseconds keeps its place and its signal. A waiter
 * counts as alive for 6 s after its last heartbeat, and heartbeats are at most 2 s apart.
 */
const LIVE_MS = 3000;
/**
 * Maximum time in milliseconds until the signal of a dead waiter passes to the next waiter, including slack for a busy
 * machine.
 */
const PASSED_MS = 8000 + 1000;
/** A number of waiters that no condition reaches. */
const WAITERS_MAX = 1000;

/**
 * C10: each signalled waiter used a signal that was sent during its wait. Each signal was used by such a waiter, unless
 * a waiter that died may have received it. No waiter was signalled before a live waiter that had waited for longer. The
 * number of items in the buffer that the lock protects is never negative and never exceeds the capacity. Fences
 * determine the order of waits and signals. Waits during which a server lost data or its clock was set are not
 * compared.
 */
export const checkConditions: Check = (history) => {
  const conditions = listConditions(history).map((calls) => judgeCondition(calls, history));
  const sum = (pick: (each: JudgedCondition) => number) =>
    conditions.reduce((total, each) => total + pick(each), 0);
  const waits = conditions.flatMap((each) => each.waits);
  const countEnding = (ending: ConditionWait["ending"]) =>
    waits.filter((wait) => wait.ending === ending).length;
  return {
    check: "C10",
    title: "conditions",
    violations: [...conditions.flatMap(({ violations }) => violations), ...findBufferFaults(history)],
    notes: [
      conditions.length === 0
        ? "no condition"
        : `${waits.length} waits, ${countEnding("signalled")} signalled, ${countEnding("timed_out")} timed out; ${sum(({ signals }) => signals)} signals; ${sum(({ compared }) => compared)} of the waiters signalled compared with ${sum(({ pairs }) => pairs)} that had waited for longer`,
    ],
  };
};

interface JudgedCondition {
  readonly waits: readonly ConditionWait[];
  readonly signals: number;
  readonly compared: number;
  readonly pairs: number;
  readonly violations: readonly Violation[];
}

function judgeCondition({ name, waits, signals }: ConditionCalls, history: AnalyzedHistory): JudgedCondition {
  const calm = new Set(waits.filter((wait) => isCalm(wait, history)));
  const woken = waits.filter(({ ending }) => ending === "signalled");
  const lossy = history.faults.filter(({ loses }) => loses !== "nothing");
  const spurious = matchSignals(
    woken.filter((wait) => calm.has(wait)),
    signals,
    WAITERS_MAX,
  ).unmatchedWaits;
  const all = matchSignals(woken, signals, WAITERS_MAX);
  const lost = all.unusedSignals.filter((signal) =>
    listAlternatives(signal, all).every(
      (each) =>
        !lossy.some((fault) => isTouching(fault, getReach(each, waits))) &&
        !isExplained(each, waits, calm, all),
    ),
  );
  const pairs = listPairs(woken, waits, calm);
  const overtaken = pairs.filter((pair) => isOvertaken(pair, woken, signals, calm));
  return {
    waits,
    signals: signals.length,
    compared: new Set(pairs.map(({ later }) => later)).size,
    pairs: pairs.length,
    violations: [
      ...spurious.map((wait) =>
        createViolation(
          "C10",
          `${wait.token} was signalled on ${name}, but every signal had already been used`,
          wait.entries,
        ),
      ),
      ...lost.map((signal) => toLostSignal(name, signal, waits)),
      ...overtaken.map(({ earlier, later }) =>
        createViolation(
          "C10",
          `${later.token} was signalled on ${name} before ${earlier.token}, which had waited longer`,
          [...earlier.entries, ...later.entries],
        ),
      ),
    ],
  };
}

/** Returns whether the waiter was live during its whole wait and no fault changed the order of the waiters. */
function isCalm(wait: ConditionWait, history: AnalyzedHistory): boolean {
  if (wait.ending === "other") return false;
  if (history.faults.some((fault) => fault.loses !== "nothing" && isTouching(fault, wait))) return false;
  return !listDisturbances(history, wait.process).some(
    (each) => each.to - each.from >= LIVE_MS * NS_PER_MS && isTouching(each, wait),
  );
}

/** Returns the waits that included the time of the signal, or may have. */
const listCandidates = (signal: Signal, waits: readonly ConditionWait[]) =>
  waits.filter(
    (wait) => wait.fence < signal.fence && wait.to > signal.from && wait.resumedFence > signal.fence,
  );

/** Returns the span of the signal and of all waits that may have received the signal. */
function getReach(signal: Signal, waits: readonly ConditionWait[]): Span {
  const all = [signal, ...listCandidates(signal, waits)];
  return { from: Math.min(...all.map(({ from }) => from)), to: Math.max(...all.map(({ to }) => to)) };
}

/**
 * Returns whether a signal that no waiter used may have been received by a waiter that died. This is impossible if a
 * live waiter waited for long enough to receive the signal afterwards.
 */
function isExplained(
  signal: Signal,
  waits: readonly ConditionWait[],
  calm: ReadonlySet<ConditionWait>,
  { waitBySignal }: Matching,
): boolean {
  // The number of waiters that the signal woke is unknown.
  if (signal.count === undefined) return true;
  const candidates = listCandidates(signal, waits);
  const dead = candidates.filter((wait) => !calm.has(wait));
  if (dead.length === 0) return false;
  const passedAt = Math.max(signal.to, ...dead.map(({ to }) => to)) + PASSED_MS * NS_PER_MS;
  const others = [...waitBySignal.keys()].filter((other) => other !== signal);
  return !candidates.some((wait) => calm.has(wait) && getWaitedUntil(wait, passedAt, others) >= passedAt);
}

/** Returns the time until which a waiter certainly waited without a signal. */
function getWaitedUntil(wait: ConditionWait, limit: number, signals: readonly Signal[]): number {
  if (wait.ending === "timed_out") return wait.from + wait.waitMs * NS_PER_MS;
  const isSooner = signals.some((signal) => canUse(wait, signal) && signal.from < limit);
  return isSooner ? wait.from : wait.to;
}

interface WaiterPair {
  readonly earlier: ConditionWait;
  readonly later: ConditionWait;
}

function listPairs(
  woken: readonly ConditionWait[],
  waits: readonly ConditionWait[],
  calm: ReadonlySet<ConditionWait>,
): WaiterPair[] {
  return woken
    .filter((later) => calm.has(later))
    .flatMap((later) =>
      waits
        .filter(
          (earlier) => calm.has(earlier) && earlier.fence < later.fence && earlier.resumedFence > later.fence,
        )
        .map((earlier) => ({ earlier, later })),
    );
}

/**
 * Returns whether the earlier waiter certainly had no signal when the later waiter received one. Either the earlier
 * waiter timed out later than that, or other waiters used all signals that were sent until the later waiter resumed.
 */
function isOvertaken(
  { earlier, later }: WaiterPair,
  woken: readonly ConditionWait[],
  signals: readonly Signal[],
  calm: ReadonlySet<ConditionWait>,
): boolean {
  if (earlier.ending === "timed_out") return earlier.from + earlier.waitMs * NS_PER_MS > later.to;
  const isWithin = ({ fence }: { readonly fence: number }) =>
    fence > earlier.fence && fence < later.resumedFence;
  const sent = signals.filter(isWithin).reduce((sum, { count = WAITERS_MAX }) => sum + count, 0);
  const used = woken.filter(
    (wait) => wait !== earlier && calm.has(wait) && isWithin(wait) && wait.resumedFence <= later.resumedFence,
  );
  return sent <= used.length;
}

function toLostSignal(name: string, signal: Signal, waits: readonly ConditionWait[]): Violation {
  const candidates = listCandidates(signal, waits);
  const what = `a signal on ${name} woke ${signal.count} waiters, but none of them used it`;
  return createViolation("C10", what, [...signal.entries, ...candidates.flatMap(({ entries }) => entries)]);
}

function findBufferFaults({ entries }: AnalyzedHistory): Violation[] {
  return entries.flatMap((entry) => {
    const { op, count } = entry;
    if (op !== "accept" || count === undefined || (count >= 0 && count <= BUFFER_CAPACITY)) return [];
    return [createViolation("C10", `the buffer for ${BUFFER_CAPACITY} items has ${count}`, [entry])];
  });
}
