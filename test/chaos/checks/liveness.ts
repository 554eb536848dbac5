import { byLock, type Claim } from "../history/claims.ts";
import { type Entry, inMs, NS_PER_MS, type Op } from "../history/entry.ts";
import { forgettingIn } from "../history/losses.ts";
import { Spans } from "../history/spans.ts";
import { type Span, type Story, touches } from "../history/story.ts";
import { type Check, type Violation, violationOf } from "./finding.ts";
import { refusedReleases } from "./full-memory.ts";
import { isGivenBack, lateLeases, longestLeaseMs } from "./late-leases.ts";

/** A waiter that hears nothing looks again after this. */
const CAP_MS = 2000;
const SLACK_MS = 500;
/** A release wakes the next at once; on two busy processors a hundred milliseconds have been seen. */
const WAKE_MS = 400;
/** So long after a fault, waiters may still be finding their way back. */
const BREATH_MS = 3000;
const RECOVERED_MS = 2500;

/**
 * C5: a free lock that is waited for is taken; what was healed works again; a full server still lets go of locks; and in
 * the end nothing is left in Redis.
 */
export const liveness: Check = (story) => {
  const waits = waitsOf(story);
  const taken = takenIn(story, new Set(waits.map(({ lock }) => lock)));
  const gaps = waits.flatMap((wait) => idleIn(wait, taken.get(wait.lock)?.touching(wait) ?? []));
  const longest = Math.max(0, ...gaps.map(({ from, to }) => inMs(to - from)));
  const longestLease = longestLeaseMs(story);
  return {
    check: "C5",
    title: "liveness, nothing left",
    violations: [
      ...gaps.flatMap((gap) => tooLong(gap, longestLease, story)),
      ...refusals(story),
      ...refusedReleases(story),
      ...remains(story),
    ],
    notes: [`${waits.length} waits; a free lock was waited for ${longest.toFixed(0)} ms at most`],
  };
};

interface Wait extends Span {
  readonly owner: string;
  readonly lock: string;
  readonly entries: readonly Entry[];
}

function waitsOf({ history }: Story): Wait[] {
  const open = new Map<string, Entry>();
  const waits: Wait[] = [];
  for (const entry of history) {
    if (entry.op !== "acquire") continue;
    const name = `${entry.process}#${entry.call}`;
    const begun = open.get(name);
    if (entry.type === "invoke" && (entry.waitMs ?? 0) > 0) open.set(name, entry);
    else if (begun !== undefined && entry.code !== "aborted") {
      const who = { owner: entry.owner ?? "", lock: entry.lock ?? "" };
      waits.push({ ...who, from: begun.t, to: entry.t, entries: [begun, entry] });
    }
  }
  return waits;
}

/** Somebody has the lock, or nobody can take it. */
interface Taken extends Span {
  readonly claim?: Claim;
}

function takenIn(story: Story, locks: ReadonlySet<string>): Map<string, Spans<Taken>> {
  const claims = new Map(byLock(story.claims).map((group) => [group[0]?.lock, group]));
  return new Map(
    [...locks].map((lock) => {
      const held = (claims.get(lock) ?? []).map((claim) => ({ from: claim.sent, to: goneAt(claim), claim }));
      return [lock, new Spans<Taken>([...held, ...lateLeases(story, lock)])];
    }),
  );
}

/** The stretches of a wait in which nobody is known to have the lock; with who had it before and who had it then. */
function idleIn(wait: Wait, taken: readonly Taken[]): Wait[] {
  const idle: Wait[] = [];
  let last: Taken = { from: wait.from, to: wait.from };
  for (const next of [...taken, { from: wait.to, to: wait.to }]) {
    if (next.claim?.owner === wait.owner) continue;
    if (next.from > last.to) {
      const entries = [...wait.entries, ...goneIn(last), ...(next.claim ? [next.claim.written.granted] : [])];
      idle.push({ ...wait, entries, from: last.to, to: next.from });
    }
    if (next.to > last.to) last = next;
  }
  return idle;
}

/** When the lock was certainly free of it in Redis. */
function goneAt(claim: Claim): number {
  const endsAt = Math.max(claim.deadline, claim.ack);
  return isGivenBack(claim) ? (claim.release?.ack ?? endsAt) : endsAt;
}

function goneIn({ claim }: Taken): readonly Entry[] {
  if (claim === undefined) return [];
  return isGivenBack(claim) ? claim.written.release.slice(-1) : [claim.written.furthest];
}

function tooLong(gap: Wait, longestLease: number, story: Story): Violation[] {
  const around = { from: gap.from - BREATH_MS * NS_PER_MS, to: gap.to };
  const isCalm = !story.faults.some((fault) => touches(fault, around));
  const limitMs = (isCalm ? WAKE_MS : CAP_MS + longestLease + SLACK_MS) + stalledMs(story, gap);
  // While faults last, a wait has no limit.
  const gapMs = inMs(gap.to - Math.max(gap.from, isCalm ? 0 : story.calmAt));
  if (gapMs <= limitMs) return [];
  const what = `${gap.owner} waited ${gapMs.toFixed(0)} ms for a lock that nobody had; ${limitMs.toFixed(0)} is the limit`;
  return [violationOf("C5", what, [...gap.entries, ...(isCalm ? [] : calmIn(story))])];
}

const calmIn = ({ history }: Story) => history.filter(({ op }) => op === "calm");

function stalledMs({ stalls }: Story, span: Span): number {
  return stalls
    .filter((stall) => touches(stall, span))
    .reduce((sum, { from, to }) => sum + inMs(to - from), 0);
}

const USUAL = ["held", "timeout", "aborted", "lost"];
const UNDER_FAULTS = [...USUAL, "unavailable", "unknown_outcome", "unanswered"];

/** Under faults a call may fail in the ways that are documented; once all is healed, every call is answered. */
function refusals(story: Story): Violation[] {
  const { history, calmAt } = story;
  const invokes = new Map<string, Entry>();
  return history.flatMap((entry) => {
    const { process, call, op, type, t, code = "", owner = "" } = entry;
    if (call === undefined) return [];
    const name = `${process}#${call}`;
    if (type === "invoke") invokes.set(name, entry);
    const invoked = invokes.get(name);
    const from = invoked?.t ?? 0;
    const isHealed = from >= calmAt + RECOVERED_MS * NS_PER_MS;
    const allowed = isHealed ? USUAL : UNDER_FAULTS;
    if (type === "invoke" || type === "ok" || allowed.includes(code)) return [];
    // Without its companion, which was taken away, a lock of ours is a hash like any other until its lease ends.
    const before = { from: from - BREATH_MS * NS_PER_MS, to: t };
    if (code === "not_a_lock" && forgettingIn(story, before).length > 0) return [];
    const what = `${op} of ${owner} failed ${isHealed ? "after all was healed" : "as nothing may fail"}: ${code}`;
    return [violationOf("C5", what, [...(isHealed ? calmIn(story) : []), invoked, entry])];
  });
}

function remains({ history }: Story): Violation[] {
  return history.flatMap((entry) => {
    const { op, lock = "", target = "", code = "" } = entry;
    const say = SAID[op];
    return say === undefined ? [] : [violationOf("C5", say({ lock, target, code }), [entry])];
  });
}

const SAID: Partial<Record<Op, (entry: Record<"lock" | "target" | "code", string>) => string>> = {
  leftover: ({ lock, target, code }) => `${target} still has ${lock}: ${code}`,
  endless: ({ lock, target }) => `${target} had ${lock} without a time to live`,
  died: ({ target, code }) => `${target || "processes"} died: ${code}`,
};
