import { type AnalyzedHistory, isTouching, type Span } from "../history/analyzed-history.ts";
import { type Claim, groupByLock } from "../history/claims.ts";
import { type Entry, NS_PER_MS, type Op, toMilliseconds } from "../history/entry.ts";
import { findDataLosses } from "../history/losses.ts";
import { Spans } from "../history/spans.ts";
import { type Check, createViolation, type Violation } from "./check.ts";
import { findRefusedReleases } from "./full-memory.ts";
import { findLateLeases, getLongestLeaseMs, isReleased } from "./late-leases.ts";

/** A waiter retries after this time even without a message. */
const CAP_MS = 2000;
const SLACK_MS = 500;
/** Limit of a wake-up. A release wakes the next waiter at once, but 100 ms were observed on two busy processors. */
const WAKE_MS = 400;
/** Time after a fault within which waiters may still be reconnecting. */
const BREATH_MS = 3000;
const RECOVERED_MS = 2500;

/**
 * C5: a free lock with waiters is acquired; everything works again after it was healed; a full server still accepts
 * releases; and at the end, nothing remains in Redis.
 */
export const checkLiveness: Check = (story) => {
  const waits = listWaits(story);
  const taken = listTakenSpans(story, new Set(waits.map(({ lock }) => lock)));
  const gaps = waits.flatMap((wait) => listIdleSpans(wait, taken.get(wait.lock)?.findTouching(wait) ?? []));
  const longest = Math.max(0, ...gaps.map(({ from, to }) => toMilliseconds(to - from)));
  const longestLease = getLongestLeaseMs(story);
  return {
    check: "C5",
    title: "liveness, nothing left",
    violations: [
      ...gaps.flatMap((gap) => findOverlongWaits(gap, longestLease, story)),
      ...findRefusals(story),
      ...findRefusedReleases(story),
      ...findRemains(story),
    ],
    notes: [`${waits.length} waits; a free lock was waited for ${longest.toFixed(0)} ms at most`],
  };
};

interface Wait extends Span {
  readonly token: string;
  readonly lock: string;
  readonly entries: readonly Entry[];
}

function listWaits({ history }: AnalyzedHistory): Wait[] {
  const open = new Map<string, Entry>();
  const waits: Wait[] = [];
  for (const entry of history) {
    if (entry.op !== "acquire") continue;
    const name = `${entry.process}#${entry.call}`;
    const begun = open.get(name);
    if (entry.type === "invoke" && (entry.waitMs ?? 0) > 0) open.set(name, entry);
    else if (begun !== undefined && entry.code !== "aborted") {
      const who = { token: entry.token ?? "", lock: entry.lock ?? "" };
      waits.push({ ...who, from: begun.t, to: entry.t, entries: [begun, entry] });
    }
  }
  return waits;
}

/** A period in which the lock is held, or cannot be acquired. */
interface TakenSpan extends Span {
  readonly claim?: Claim;
}

function listTakenSpans(story: AnalyzedHistory, locks: ReadonlySet<string>): Map<string, Spans<TakenSpan>> {
  const claims = new Map(groupByLock(story.claims).map((group) => [group[0]?.lock, group]));
  return new Map(
    [...locks].map((lock) => {
      const held = (claims.get(lock) ?? []).map((claim) => ({
        from: claim.sent,
        to: getFreeAt(claim),
        claim,
      }));
      return [lock, new Spans<TakenSpan>([...held, ...findLateLeases(story, lock)])];
    }),
  );
}

/** Lists the periods of a wait in which no holder is known, with the holders before and after. */
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

/** Returns when the lock was certainly free of this claim in Redis. */
function getFreeAt(claim: Claim): number {
  const endsAt = Math.max(claim.deadline, claim.ack);
  return isReleased(claim) ? (claim.release?.ack ?? endsAt) : endsAt;
}

function listEndEntries({ claim }: TakenSpan): readonly Entry[] {
  if (claim === undefined) return [];
  return isReleased(claim) ? claim.written.release.slice(-1) : [claim.written.furthest];
}

function findOverlongWaits(gap: Wait, longestLease: number, story: AnalyzedHistory): Violation[] {
  const around = { from: gap.from - BREATH_MS * NS_PER_MS, to: gap.to };
  const isCalm = !story.faults.some((fault) => isTouching(fault, around));
  const limitMs = (isCalm ? WAKE_MS : CAP_MS + longestLease + SLACK_MS) + sumStalledMs(story, gap);
  // During faults, the duration of a wait is not limited.
  const gapMs = toMilliseconds(gap.to - Math.max(gap.from, isCalm ? 0 : story.calmAt));
  if (gapMs <= limitMs) return [];
  const what = `${gap.token} waited ${gapMs.toFixed(0)} ms for a lock that nobody had; ${limitMs.toFixed(0)} is the limit`;
  return [createViolation("C5", what, [...gap.entries, ...(isCalm ? [] : findCalm(story))])];
}

const findCalm = ({ history }: AnalyzedHistory) => history.filter(({ op }) => op === "calm");

function sumStalledMs({ stalls }: AnalyzedHistory, span: Span): number {
  return stalls
    .filter((stall) => isTouching(stall, span))
    .reduce((sum, { from, to }) => sum + toMilliseconds(to - from), 0);
}

const USUAL = ["held", "timeout", "aborted", "lost"];
const UNDER_FAULTS = [...USUAL, "unavailable", "unknown_outcome", "unanswered"];

/**
 * Finds refusals that are not allowed. During faults, calls may fail in documented ways; after healing, every call is
 * answered.
 */
function findRefusals(story: AnalyzedHistory): Violation[] {
  const { history, calmAt } = story;
  const invokes = new Map<string, Entry>();
  return history.flatMap((entry) => {
    const { process, call, op, type, t, code = "", token = "" } = entry;
    if (call === undefined) return [];
    const name = `${process}#${call}`;
    if (type === "invoke") invokes.set(name, entry);
    const invoked = invokes.get(name);
    const from = invoked?.t ?? 0;
    const isHealed = from >= calmAt + RECOVERED_MS * NS_PER_MS;
    const allowed = isHealed ? USUAL : UNDER_FAULTS;
    if (type === "invoke" || type === "ok" || allowed.includes(code)) return [];
    // If its companion was removed, a Lockkeeper lock is a hash like any other until its lease ends.
    const before = { from: from - BREATH_MS * NS_PER_MS, to: t };
    if (code === "not_a_lock" && findDataLosses(story, before).length > 0) return [];
    const what = `${op} of ${token} failed ${isHealed ? "after all was healed" : "as nothing may fail"}: ${code}`;
    return [createViolation("C5", what, [...(isHealed ? findCalm(story) : []), invoked, entry])];
  });
}

function findRemains({ history }: AnalyzedHistory): Violation[] {
  return history.flatMap((entry) => {
    const { op, lock = "", target = "", code = "" } = entry;
    const say = REMAINS_TEXTS[op];
    return say === undefined ? [] : [createViolation("C5", say({ lock, target, code }), [entry])];
  });
}

const REMAINS_TEXTS: Partial<Record<Op, (entry: Record<"lock" | "target" | "code", string>) => string>> = {
  leftover: ({ lock, target, code }) => `${target} still has ${lock}: ${code}`,
  endless: ({ lock, target }) => `${target} had ${lock} without a time to live`,
  died: ({ target, code }) => `${target || "processes"} died: ${code}`,
};
