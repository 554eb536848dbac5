import { type AnalyzedHistory, isTouching, type Span } from "../history/analyzed-history.ts";
import { groupBy } from "../history/claims.ts";
import { mergeSpans } from "../history/disturbances.ts";
import { type Entry, NS_PER_MS, type Op, toMilliseconds } from "../history/entry.ts";
import { findDataLosses } from "../history/losses.ts";
import { listWaits, type Wait } from "../history/waits.ts";
import { type Check, createViolation, type Violation } from "./check.ts";
import { findRefusedReleases } from "./full-memory.ts";
import { getLongestLeaseMs, isReleased } from "./late-leases.ts";
import { listTakenSpans, type TakenSpan } from "./taken-spans.ts";

/**
 * Maximum time in milliseconds for which a dead waiter prevents others from acquiring a fair lock, a semaphore or, as a
 * writer, a read/write lock. Includes the jitter of the attempt that detects the dead waiter.
 */
const DEAD_WAITER_MS = 6400;
/** Time in milliseconds after which a waiter that receives no message tries again. */
const CAP_MS = 2000;
const SLACK_MS = 500;
/**
 * Maximum time in milliseconds from a release until the next waiter acquires the lock. A release wakes the waiter
 * immediately, but 100 ms were measured on two busy processors.
 */
const WAKE_MS = 400;
/** Time in milliseconds after a fault in which waiters may still be reconnecting. */
const BREATH_MS = 3000;
const RECOVERED_MS = 2500;

/**
 * C5: a free lock with waiters is acquired. After the last fault was healed, calls succeed again. A server whose memory
 * is full still accepts releases. At the end, no keys remain in Redis.
 */
export const checkLiveness: Check = (history) => {
  const waits = listWaits(history, "acquire");
  const answered = waits.filter(({ ending }) => ending !== undefined);
  const gaps = mergeGaps(listGaps(answered, waits, history));
  const longest = Math.max(0, ...gaps.map(({ from, to }) => toMilliseconds(to - from)));
  const longestLease = getLongestLeaseMs(history);
  return {
    check: "C5",
    title: "liveness, nothing left",
    violations: [
      ...gaps.flatMap((gap) => findOverlongWaits(gap, longestLease, history)),
      ...findRefusals(history),
      ...findRefusedReleases(history),
      ...findRemains(history),
    ],
    notes: [`${answered.length} waits; the longest wait for a free lock was ${longest.toFixed(0)} ms`],
  };
};

function listGaps(answered: readonly Wait[], waits: readonly Wait[], history: AnalyzedHistory): Wait[] {
  const claims = groupBy(history.claims, ({ lock }) => lock);
  const all = groupBy(waits, ({ lock }) => lock);
  return [...groupBy(answered, ({ lock }) => lock)].flatMap(([lock, own]) => {
    const taken = listTakenSpans(lock, claims.get(lock) ?? [], all.get(lock) ?? [], history);
    return own.flatMap((wait) => {
      const spans = wait.kind === "read" ? taken.forReaders : taken.forOthers;
      return listIdleSpans(wait, spans.findTouching(wait));
    });
  });
}

/**
 * Lists the periods of a wait in which the lock had no known holder, with the entries of the previous and the next
 * holder.
 */
function listIdleSpans(wait: Wait, taken: readonly TakenSpan[]): Wait[] {
  const idle: Wait[] = [];
  let last: TakenSpan = { from: wait.from, to: wait.from };
  for (const next of [...taken, { from: wait.to, to: wait.to }]) {
    if (next.claim?.token === wait.token) continue;
    if (next.from > last.to) {
      const entries = [
        ...wait.entries,
        ...listEndEntries(last),
        ...(next.claim ? [next.claim.written.granted] : []),
      ];
      idle.push({ ...wait, entries, from: last.to, to: next.from });
    }
    if (next.to > last.to) last = next;
  }
  return idle;
}

function listEndEntries({ claim }: TakenSpan): readonly Entry[] {
  if (claim === undefined) return [];
  return isReleased(claim) ? claim.written.release.slice(-1) : [claim.written.furthest];
}

/**
 * Merges the gaps of successive waiters that timed out, because together they are one period in which no client
 * acquired the lock.
 */
function mergeGaps(gaps: readonly Wait[]): Wait[] {
  const isGranted = ({ ending }: Wait) => ending === "ok";
  const others = gaps.filter((gap) => !isGranted(gap));
  const groups = groupBy(others, ({ lock, kind }) => (kind === "read" ? `${lock} for readers` : lock));
  return [...gaps.filter(isGranted), ...[...groups.values()].flatMap(mergeInOrder)];
}

function mergeInOrder(gaps: readonly Wait[]): Wait[] {
  const merged: Wait[] = [];
  for (const gap of gaps.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last === undefined || gap.from > last.to) merged.push(gap);
    else if (gap.to > last.to) {
      merged[merged.length - 1] = { ...last, entries: [...last.entries, ...gap.entries], to: gap.to };
    }
  }
  return merged;
}

function findOverlongWaits(gap: Wait, longestLease: number, history: AnalyzedHistory): Violation[] {
  const deadWaiterMs = gap.kind === "lock" ? 0 : DEAD_WAITER_MS;
  const around = { from: gap.from - (BREATH_MS + deadWaiterMs) * NS_PER_MS, to: gap.to };
  const isCalm = !history.faults.some((fault) => isTouching(fault, around));
  const limitMs = isCalm
    ? WAKE_MS + sumStalledMs(history.stalls, gap)
    : CAP_MS +
      Math.max(longestLease, deadWaiterMs) +
      SLACK_MS +
      sumStalledMs(mergeSpans(history.stalls), gap);
  // The time during faults does not count.
  const gapMs = toMilliseconds(gap.to - Math.max(gap.from, isCalm ? 0 : history.calmAt));
  if (gapMs <= limitMs) return [];
  const what = `${gap.token} waited ${gapMs.toFixed(0)} ms for a free lock; the limit is ${limitMs.toFixed(0)} ms`;
  return [createViolation("C5", what, [...gap.entries, ...(isCalm ? [] : findCalm(history))])];
}

const findCalm = ({ entries }: AnalyzedHistory) => entries.filter(({ op }) => op === "calm");

function sumStalledMs(stalls: readonly Span[], span: Span): number {
  return stalls
    .filter((stall) => isTouching(stall, span))
    .reduce((sum, { from, to }) => sum + toMilliseconds(to - from), 0);
}

const USUAL = ["held", "timeout", "aborted", "lost"];
const UNDER_FAULTS = [...USUAL, "unavailable", "unknown_outcome", "unanswered"];

/** Errors that can occur if Redis evicts only some of the keys of a lock. */
const WITHOUT_DATA = ["not_a_lock", "limit_conflict"];

/**
 * Finds calls that failed in an undocumented way. After the last fault was healed, no call may fail because Redis is
 * unavailable.
 */
function findRefusals(history: AnalyzedHistory): Violation[] {
  const { entries, calmAt } = history;
  const invokes = new Map<string, Entry>();
  return entries.flatMap((entry) => {
    const { process, call, op, type, t, code = "", token = "" } = entry;
    if (call === undefined) return [];
    const name = `${process}#${call}`;
    if (type === "invoke") invokes.set(name, entry);
    const invoked = invokes.get(name);
    const from = invoked?.t ?? 0;
    const isHealed = from >= calmAt + RECOVERED_MS * NS_PER_MS;
    const allowed = isHealed ? USUAL : UNDER_FAULTS;
    if (type === "invoke" || type === "ok" || allowed.includes(code)) return [];
    // Without its companion, Lockkeeper cannot distinguish its own lock from any other hash until the lease ends.
    const before = { from: from - BREATH_MS * NS_PER_MS, to: t };
    if (WITHOUT_DATA.includes(code) && findDataLosses(history, before).length > 0) return [];
    const what = `${op} of ${token} failed ${isHealed ? "after all faults had ended" : "although no fault explains it"}: ${code}`;
    return [createViolation("C5", what, [...(isHealed ? findCalm(history) : []), invoked, entry])];
  });
}

function findRemains({ entries }: AnalyzedHistory): Violation[] {
  return entries.flatMap((entry) => {
    const { op, lock = "", target = "", code = "" } = entry;
    const say = REMAINS_TEXTS[op];
    return say === undefined ? [] : [createViolation("C5", say({ lock, target, code }), [entry])];
  });
}

const REMAINS_TEXTS: Partial<Record<Op, (entry: Record<"lock" | "target" | "code", string>) => string>> = {
  leftover: ({ lock, target, code }) => `${target} still has ${lock}: ${code}`,
  endless: ({ lock, target }) => `${target} had ${lock} without a TTL`,
  died: ({ target, code }) => `${target || "processes"} exited: ${code}`,
};
