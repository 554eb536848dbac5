import {
  type AnalyzedHistory,
  type FaultSpan,
  isQuorum,
  isTouching,
  type Span,
} from "../history/analyzed-history.ts";
import type { Claim } from "../history/claims.ts";
import { type Entry, isEntering, NS_PER_MS } from "../history/entry.ts";
import { findDataLosses, findFirstStepAhead, getAheadMs, hasStableFences } from "../history/losses.ts";
import { getProcessSlot } from "../history/process-slot.ts";
import { type Call, formatEndKind, listLossCalls, MAYBE } from "./lock-losses.ts";
import {
  applyAnonymousGrant,
  applyRefusal,
  createDenialStep,
  createGiveUpStep,
  createGrantStep,
  createPossibleReentryStep,
  createReentryStep,
  createReleaseStep,
  createRenewalStep,
  createResumeStep,
  type Lease,
} from "./lock-model.ts";

/** The entries for a call and its reply. */
export interface CallPair {
  readonly invoked: Entry;
  /** `undefined` if the process of the call was killed before the reply. */
  readonly answer: Entry | undefined;
}

/** Maximum time in milliseconds until a request arrives, if no fault delays it. */
const ON_ITS_WAY_MS = 500;

/**
 * Time in milliseconds before the end of a lease in which a hold can no longer be re-entered although the lock is not
 * free yet. Redis returns remaining times in whole milliseconds.
 */
const LAST_MS = 2;

/**
 * Lists the calls on a lock and its possible data losses, including calls that may have been executed.
 *
 * @param claims all claims of the lock
 */
export function listCalls(claims: readonly Claim[], history: AnalyzedHistory): Call[] {
  return [...listCallsByToken(claims, history).values()].flat().concat(listLossCalls(claims, history));
}

/**
 * Lists the calls on each hold of a lock by its token, including calls that may have been executed. Data losses are not
 * included.
 */
export function listCallsByToken(claims: readonly Claim[], history: AnalyzedHistory): Map<string, Call[]> {
  const tokens = new Map<string, CallPair[]>();
  for (const pair of listPairs(claims[0]?.lock ?? "", history.entries)) {
    const token = pair.invoked.token ?? "";
    const pairs = tokens.get(token);
    if (pairs === undefined) tokens.set(token, [pair]);
    else pairs.push(pair);
  }
  const deadlines = new Map<string, number>();
  for (const { token, deadline } of claims) {
    deadlines.set(token, Math.max(deadline, deadlines.get(token) ?? 0));
  }
  const ends = new Map<string, number>();
  for (const { token, mayEndAt } of listLeases(claims, history)) {
    ends.set(token, Math.min(mayEndAt, ends.get(token) ?? mayEndAt));
  }
  const limits = listGrantLimits(claims, history);
  const calls = [...tokens].map(([token, pairs]) => {
    const [deadline = 0, mayEndAt = Number.POSITIVE_INFINITY] = [deadlines.get(token), ends.get(token)];
    return [token, listTokenCalls(pairs, { deadline, mayEndAt, ...limits.get(token) }, history)] as const;
  });
  return new Map(calls);
}

/** The period in which a hold was granted and, because the lock was granted to another client, also ended. */
interface GrantLimits {
  readonly sent?: number;
  readonly endedBy?: number;
}

/**
 * Lists the limits of each hold by its token. `give_up` and `resume` both last as long as a wait for a condition.
 * Without these limits, the number of possible orders would be too large.
 */
function listGrantLimits(claims: readonly Claim[], history: AnalyzedHistory): Map<string, GrantLimits> {
  const limits = new Map<string, GrantLimits>();
  let endedBy = Number.POSITIVE_INFINITY;
  const holds = claims.filter(({ isReentry }) => !isReentry);
  const byFence = holds.toSorted((one, other) => Number(other.fence ?? 0) - Number(one.fence ?? 0));
  for (const { token, sent, ack } of byFence) {
    limits.set(token, hasStableFences(history) ? { sent, endedBy } : { sent });
    endedBy = Math.min(endedBy, ack);
  }
  return limits;
}

export function listPairs(lock: string, entries: readonly Entry[]): CallPair[] {
  const open = new Map<string, Entry>();
  const pairs: CallPair[] = [];
  for (const entry of entries) {
    if (entry.lock !== lock || entry.call === undefined) continue;
    const name = `${entry.process}#${entry.call}`;
    const invoked = open.get(name);
    if (entry.type === "invoke") open.set(name, entry);
    else if (invoked !== undefined) {
      open.delete(name);
      pairs.push({ invoked, answer: entry });
    }
  }
  for (const invoked of open.values()) pairs.push({ invoked, answer: undefined });
  return pairs;
}

/**
 * The earliest end of a hold's lease (`mayEndAt`), and the last time at which its holder relied on the hold
 * (`deadline`).
 */
interface Ends extends GrantLimits {
  readonly deadline: number;
  readonly mayEndAt: number;
}

/** Lists the operations on one hold. */
function listTokenCalls(pairs: readonly CallPair[], ends: Ends, history: AnalyzedHistory): Call[] {
  const { deadline } = ends;
  const from = Math.min(...pairs.map(({ invoked }) => invoked.t));
  const entered = pairs.filter(({ answer }) => answer && isEntering(answer) && answer.type === "ok").length;
  const parts = pairs.filter((pair) => canBePartial(pair, { from, entered }, history));
  const certain = pairs.flatMap((pair) =>
    parts.includes(pair) ? [] : (toCertainCall(pair, ends, history) ?? []),
  );
  const unknown = pairs.filter(isUnknown);
  const asked = unknown.filter(({ invoked }) => invoked.op === "acquire" || invoked.op === "resume");
  if (certain.length === 0)
    return asked.map((pair) => ({ ...toPossibleAcquire(pair, history), ...UNACKNOWLEDGED }));
  const reentered = pairs.filter((pair) => canHaveEntered(pair, history));
  const entering = [
    ...asked.map((pair) => ({ ...toPossibleAcquire(pair, history), ...UNACKNOWLEDGED })),
    ...reentered.map((pair) => {
      return {
        ...toPossibleAcquire(pair, history),
        step: createPossibleReentryStep(pair.invoked.token ?? ""),
      };
    }),
  ];
  const last = Math.max(deadline, ...[...certain, ...entering].map(({ answer }) => answer));
  const leaving = unknown
    .filter(({ invoked }) => invoked.op === "release")
    .map((pair) => toPossibleRelease(pair, last));
  for (const pair of unknown) if (pair.invoked.op === "give_up") leaving.push(toPossibleGiveUp(pair, last));
  const denials = [...parts, ...pairs.filter((pair) => canHaveEnded(pair, history))];
  for (const pair of denials) leaving.push(toPossibleRelease(pair, pair.answer?.t ?? last));
  return [...certain, ...entering, ...leaving];
}

function toCertainCall(
  { invoked, answer }: CallPair,
  { mayEndAt, sent = 0, endedBy = Number.POSITIVE_INFINITY }: Ends,
  history: AnalyzedHistory,
): Call | undefined {
  const { op, t: call, token = "" } = invoked;
  if (answer === undefined) return undefined;
  const { type, code, count = 0, fence, t } = answer;
  const place = { call, answer: t, was: "done", entries: [invoked, answer] } as const;
  const look = { ...place, does: "looks" } as const;
  const change = { ...place, does: "changes" } as const;
  if (op === "acquire" && type === "ok") {
    const rank = count === 1 && hasStableFences(history) ? { rank: BigInt(fence ?? 0) } : {};
    return { ...change, ...rank, step: createGrantStep(token, count, BigInt(fence ?? 0)) };
  }
  if (op === "resume" && type === "ok") {
    const rank = hasStableFences(history) ? { rank: BigInt(fence ?? 0) } : {};
    const step = createResumeStep(token, count, BigInt(fence ?? 0));
    return { ...change, ...rank, call: Math.max(call, sent), step };
  }
  if (op === "give_up" && type === "ok")
    return { ...change, answer: Math.max(call, Math.min(t, endedBy)), step: createGiveUpStep(token) };
  if (op === "reenter" && type === "ok")
    return { ...change, step: createReentryStep(token, count, BigInt(fence ?? 0)) };
  // A refusal does not prove that the lock was held in two cases: on a quorum, concurrent requests can prevent each
  // other from reaching a majority, and a free fair lock is reserved for its next waiter.
  if (isRefusal(answer)) {
    return isQuorum(history) || invoked.kind === "fair" ? undefined : { ...look, step: applyRefusal };
  }
  if (isReentryDenial(answer)) {
    const isOpen = isQuorum(history) || t >= mayEndAt - LAST_MS * NS_PER_MS;
    return isOpen ? undefined : { ...look, step: createDenialStep(token) };
  }
  if (op === "release" && isGivenBack(answer)) return { ...change, step: createReleaseStep(token, count) };
  if (op === "release" && type === "ok") return { ...look, step: createDenialStep(token) };
  if (op === "verify" && code === "lost") return { ...look, step: createDenialStep(token) };
  return (op === "renew" || op === "verify" || op === "downgrade") && type === "ok"
    ? { ...look, step: createRenewalStep(token) }
    : undefined;
}

const isRefusal = ({ op, code }: Entry) => op === "acquire" && (code === "held" || code === "timeout");
const isReentryDenial = ({ op, type, code }: Entry) => op === "reenter" && type === "fail" && code === "lost";
const isGivenBack = ({ code }: Entry) => code === "released" || code === "still_held";

function isUnknown({ answer }: CallPair): boolean {
  if (answer === undefined || isRetry(answer)) return true;
  const { op, type, code, asked = 1 } = answer;
  if (type === "ok" || isRefusal(answer) || isReentryDenial(answer)) return false;
  if ((op === "give_up" || op === "resume") && type === "fail") return false;
  // Regardless of the last reply, an earlier attempt without a reply may have been executed.
  return asked > 1 || (code !== "unavailable" && code !== "queue_full");
}

/**
 * Returns whether a failed re-entry may have increased the count. On a quorum, the count may remain on some masters
 * until the re-entry is undone.
 */
function canHaveEntered(pair: CallPair, history: AnalyzedHistory): boolean {
  if (pair.invoked.op !== "reenter") return false;
  return isUnknown(pair) || (isQuorum(history) && pair.answer?.type === "fail");
}

/**
 * Returns whether a release that was answered with `not_held` may have ended the hold. On a quorum, releases on some
 * masters can leave the hold without a majority: other clients can then acquire the lock, and the remaining masters
 * deny the hold. A server that loses its data before it replies also loses the record of the release.
 */
function canHaveEnded({ invoked, answer }: CallPair, history: AnalyzedHistory): boolean {
  if (invoked.op !== "release" || answer?.code !== "not_held") return false;
  return isQuorum(history) || findDataLosses(history, { from: invoked.t, to: answer.t }).length > 0;
}

/**
 * Returns whether a release may have affected only some of the masters that have the hold, because others lost the hold
 * or its lease ended early.
 *
 * @param held the start of the hold, and the maximum of its count
 */
function canBePartial(
  { invoked, answer }: CallPair,
  held: { readonly from: number; readonly entered: number },
  history: AnalyzedHistory,
): boolean {
  if (!isQuorum(history) || invoked.op !== "release" || !answer || !isGivenBack(answer)) return false;
  if ((answer.count ?? 0) >= held.entered) return false;
  const span = { from: held.from, to: answer.t };
  return history.faults.some((fault) => fault.loses !== "nothing" && isTouching(fault, span));
}

/**
 * Returns whether an HTTP request was repeated. The abandoned request may still be in transit and be executed after the
 * server has forgotten its id. The lock is then held without a holder.
 */
const isRetry = ({ op, asked = 1 }: Entry) => op === "acquire" && asked > 1;

/** Properties of grants that the client never received. All such grants have the same kind. */
export const UNACKNOWLEDGED = { step: applyAnonymousGrant, kind: "unheard" } as const;

function toPossibleAcquire(pair: CallPair, history: AnalyzedHistory) {
  const { invoked } = pair;
  return { ...MAYBE, call: invoked.t, answer: getArrivalEnd(pair, history), entries: [invoked] };
}

/** Returns the time until which a call with an unknown outcome may be executed. */
export function getArrivalEnd({ invoked, answer }: CallPair, history: AnalyzedHistory): number {
  const until = answer?.t ?? getKilledAt(invoked, history);
  return getLatestArrival({ from: invoked.t, to: until }, history.faults);
}

/**
 * @param last the time after which the holder receives no more replies and the lease may end, which has the same effect
 * as a release
 */
function toPossibleRelease({ invoked }: CallPair, last: number): Call {
  const step = createReleaseStep(invoked.token ?? "");
  return { ...MAYBE, call: invoked.t, answer: Math.max(invoked.t, last), entries: [invoked], step };
}

function toPossibleGiveUp(pair: CallPair, last: number): Call {
  const token = pair.invoked.token ?? "";
  return { ...toPossibleRelease(pair, last), kind: formatEndKind(token), step: createGiveUpStep(token) };
}

/**
 * Returns the latest time at which a process may have sent its request: when it was killed, or the end of the history.
 */
function getKilledAt({ process, t }: Entry, { faults, entries }: AnalyzedHistory): number {
  const slot = getProcessSlot(process);
  const kill = faults.find(({ fault, target, to }) => fault === "kill-worker" && target === slot && to >= t);
  return kill?.from ?? entries.at(-1)?.t ?? t;
}

/**
 * Returns the latest arrival of a request in transit. A fault of a server or a link may delay the request, and a later
 * fault may delay it further.
 */
function getLatestArrival({ from, to }: Span, faults: readonly FaultSpan[]): number {
  const first = to + ON_ITS_WAY_MS * NS_PER_MS;
  const lasts = new Map<string, number>();
  for (const fault of faults) {
    const last = lasts.get(fault.target) ?? first;
    if (!isTouching(fault, { from, to: last })) continue;
    lasts.set(fault.target, Math.max(last, fault.to + ON_ITS_WAY_MS * NS_PER_MS));
  }
  return Math.max(first, ...lasts.values());
}

/**
 * Lists the earliest end of each lease: the holder's deadline, or earlier by the amount by which the clock of a server
 * was set ahead. No entry in the history reports the end of a lease.
 */
export function listLeases(claims: readonly Claim[], history: AnalyzedHistory): Lease[] {
  const stepping = { ...history, faults: history.faults.filter(({ steps }) => steps.length > 0) };
  return claims.map(({ token, fence, sent, deadline }) => {
    const span = { from: sent, to: deadline };
    const aheadAt = findFirstStepAhead(stepping, span) ?? deadline;
    const mayEndAt = Math.max(aheadAt, deadline - getAheadMs(stepping, span) * NS_PER_MS);
    return { token, fence: BigInt(fence ?? 0), mayEndAt };
  });
}
