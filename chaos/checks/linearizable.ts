import { byLock, type Claim } from "../history/claims.ts";
import { type Entry, inMs, NS_PER_MS } from "../history/entry.ts";
import { aheadMsIn, firstAheadIn, forgets, forgettingIn } from "../history/losses.ts";
import { type FaultSpan, type Span, type Story, touches } from "../history/story.ts";
import type { Check, Violation } from "./finding.ts";
import { linearize, type Operation } from "./wgl.ts";

/** A lock as a sentence of the specification: who has it, how often, and the last fence. */
interface Lock {
  readonly owner: string | undefined;
  readonly count: number;
  readonly fence: bigint;
}

type Call = Operation<Lock>;

/** What nothing keeps back has arrived by then. */
const ON_ITS_WAY_MS = 500;
const FREE: Lock = { owner: undefined, count: 0, fence: 0n };

/**
 * C4: what all were told fits one order of events on a lock that one owner has at a time, which counts its entries,
 * gives each new hold a larger fence, and may end a hold once its holder's deadline has passed.
 */
export const linearizable: Check = (story) => {
  const locks = byLock(story.claims).map((claims) => judged(story, claims));
  const undecided = locks.filter(({ outcome }) => outcome === "undecided").length;
  const operations = locks.reduce((sum, { count }) => sum + count, 0);
  return {
    check: "C4",
    title: "one order fits all",
    violations: locks.flatMap(({ violations }) => violations),
    notes: [
      `${operations} operations${undecided === 0 ? "" : `; ${undecided} locks UNDECIDED, the search was given up`}`,
    ],
  };
};

function judged(story: Story, claims: readonly Claim[]) {
  const lock = claims[0]?.lock ?? "";
  const calls = callsOf(story, claims, lock);
  const found = linearize(calls, FREE, ({ owner, count, fence }) => `${owner} ${count} ${fence}`);
  const violations: Violation[] = [];
  if (found.outcome === "impossible") {
    const { stuck, state } = found;
    const have = state.owner === undefined ? "nobody has it" : `${state.owner} has it, count ${state.count}`;
    const owners = [stuck.about.split(" ")[0] ?? "", state.owner ?? ""];
    const what = `no order of events allows: ${stuck.about}, ${inMs(stuck.call).toFixed(0)} to ${inMs(stuck.answer).toFixed(0)} ms, where ${have}`;
    violations.push({ check: "C4", what, lock, owners, from: stuck.call, to: stuck.answer });
  }
  return { outcome: found.outcome, count: calls.length, violations };
}

function callsOf(story: Story, claims: readonly Claim[], lock: string): Call[] {
  const open = new Map<string, Entry>();
  const calls: Call[] = claims.map((claim) => expiryOf(claim, story));
  const isQuorum = story.history.some(({ op, target }) => op === "begun" && target === "quorum");
  for (const entry of story.history) {
    if (entry.lock !== lock || entry.call === undefined) continue;
    const name = `${entry.process}#${entry.call}`;
    const invoked = open.get(name);
    if (entry.type === "invoke") open.set(name, entry);
    else if (invoked !== undefined) {
      open.delete(name);
      calls.push(...operationsOf(invoked, entry, isQuorum, story), ...echoesOf(invoked, entry, story));
    }
  }
  // The calls of processes that were killed.
  for (const invoked of open.values()) calls.push(...maybe(invoked, invoked.t, story));
  return [...calls, ...wipesOf(story), ...claims.flatMap((claim) => evictionsOf(claim, story))];
}

function operationsOf(invoked: Entry, answer: Entry, isQuorum: boolean, story: Story): Call[] {
  const { op, type, code, owner = "", count = 0, fence } = answer;
  const place = {
    call: invoked.t,
    answer: answer.t,
    was: "done" as const,
    about: `${owner} ${op} ${type} ${code ?? ""} count=${count}`,
  };
  if (op === "acquire" && type === "ok")
    return [{ ...place, step: granted(owner, count, BigInt(fence ?? 0)) }];
  if (op === "acquire" && (code === "held" || code === "timeout")) {
    // On a quorum two who ask at once may each keep the other from a majority.
    return isQuorum ? [] : [{ ...place, step: (lock) => (isOthers(lock, owner) ? lock : undefined) }];
  }
  if (op === "release" && type === "ok") {
    return [{ ...place, step: code === "released" ? released(owner, count) : denied(owner) }];
  }
  if (op === "renew" && type === "ok")
    return [{ ...place, step: (lock) => (lock.owner === owner ? lock : undefined) }];
  return code === "unavailable" || code === "queue_full" ? [] : maybe(invoked, answer.t, story);
}

const isOthers = ({ owner }: Lock, asking: string) => owner !== undefined && owner !== asking;

const granted = (owner: string, count: number, fence: bigint) => (lock: Lock) => {
  if (lock.owner === undefined && count === 1 && fence > lock.fence) return { owner, count, fence };
  const isAgain = lock.owner === owner && count === lock.count + 1 && fence === lock.fence;
  return isAgain ? { ...lock, count } : undefined;
};

const released = (owner: string, left?: number) => (lock: Lock) => {
  if (lock.owner !== owner || (left !== undefined && lock.count - 1 !== left)) return undefined;
  return lock.count === 1 ? { ...FREE, fence: lock.fence } : { ...lock, count: lock.count - 1 };
};

const denied = (owner: string) => (lock: Lock) => (lock.owner === owner ? undefined : lock);

const freed = (owner: string) => (lock: Lock) =>
  lock.owner === owner ? { ...FREE, fence: lock.fence } : undefined;

/**
 * A request over HTTP that was given up and asked again may still be on its way, and be carried out when its id is
 * forgotten: nobody holds the lock then, and nobody has it any more.
 */
function echoesOf(invoked: Entry, { op, type, code = "", t, asked = 1 }: Entry, story: Story): Call[] {
  const isGranted = op === "acquire" && type === "ok";
  return asked > 1 && (isGranted || REFUSALS.includes(code)) ? maybe(invoked, t, story) : [];
}
const REFUSALS = ["held", "timeout", "unavailable", "queue_full"];

/**
 * A lease may end once its holder's deadline has passed, or earlier by what the clock of a server went ahead. Nobody is
 * told when it does.
 */
function expiryOf({ owner, sent, deadline }: Claim, story: Story): Call {
  const span = { from: sent, to: deadline };
  const aheadAt = firstAheadIn(story, span) ?? deadline;
  const call = Math.max(aheadAt, deadline - aheadMsIn(story, span) * NS_PER_MS);
  return { call, ...AT_ANY_TIME, step: freed(owner), about: `${owner} expires` };
}

const AT_ANY_TIME = { answer: Number.POSITIVE_INFINITY, was: "maybe" } as const;

/** What may have been done: an acquire that nobody heard of, which is taken back at some time, or a release. */
function maybe({ op, t, owner = "" }: Entry, givenUpAt: number, { faults }: Story): Call[] {
  const place = { call: t, ...AT_ANY_TIME, about: `${owner} may ${op}` };
  if (op === "release") return [{ ...place, step: released(owner) }];
  if (op !== "acquire") return [];
  const enter = (lock: Lock) => {
    if (lock.owner === undefined) return { ...lock, owner, count: 1 };
    return lock.owner === owner ? { ...lock, count: lock.count + 1 } : undefined;
  };
  return [
    { ...place, answer: lastOf({ from: t, to: givenUpAt }, faults), step: enter },
    { ...place, step: released(owner) },
  ];
}

/** Until when what is on its way may arrive: a fault of a server or a link may keep it back, and its next one longer. */
function lastOf({ from, to }: Span, faults: readonly FaultSpan[]): number {
  const lasts = new Map<string, number>();
  for (const fault of faults) {
    const last = lasts.get(fault.target) ?? to + ON_ITS_WAY_MS * NS_PER_MS;
    const isInItsWay = touches(fault, { from, to: last });
    lasts.set(fault.target, isInItsWay ? Math.max(last, fault.to + ON_ITS_WAY_MS * NS_PER_MS) : last);
  }
  return Math.max(to + ON_ITS_WAY_MS * NS_PER_MS, ...lasts.values());
}

function wipesOf({ topology, faults }: Story): Call[] {
  return faults.filter(forgets).map(({ loses, fault, from, to }) => {
    const keeps = loses === "fences" && topology === "single" ? undefined : "fence";
    const step = (lock: Lock) => (keeps === undefined ? FREE : { ...FREE, fence: lock.fence });
    return { call: from, answer: to, was: "maybe" as const, step, about: fault };
  });
}

/** Where data goes missing for a while, hold after hold may be gone. */
function evictionsOf({ owner, sent, deadline }: Claim, story: Story): Call[] {
  const lasting = forgettingIn(story, { from: sent, to: deadline }).filter(({ fault }) => fault === "evict");
  return lasting.map(({ fault, from, to }) => {
    const place = { call: Math.max(from, sent), answer: to, was: "maybe" as const };
    return { ...place, step: freed(owner), about: `${fault} of ${owner}` };
  });
}
