import { type AnalyzedHistory, isTouching } from "../history/analyzed-history.ts";
import { type Claim, groupBy, groupByLock } from "../history/claims.ts";
import { toMilliseconds } from "../history/entry.ts";
import { isShared } from "../history/exclusion.ts";
import { type Check, createViolation, type Verdict, type Violation } from "./check.ts";
import { linearize, type Outcome } from "./linearize.ts";
import { listCalls, listCallsByToken, listLeases } from "./lock-calls.ts";
import { type Call, listLossCalls } from "./lock-losses.ts";
import { createLockModel, type Lease, type Lock, listPossibleLocks } from "./lock-model.ts";
import { findMinimalCore } from "./minimal-core.ts";
import { clipCalls, listStableSpans } from "./stable-spans.ts";

/** Maximum number of search steps. A run of ten minutes takes less than a hundredth of this. */
const STEPS_MAX = 3_000_000;

/**
 * C4: the replies are consistent with one order of events on a lock that has one hold at a time, counts re-entries,
 * gives each new hold a larger fence, and may end a hold once its holder's deadline has passed. Failovers undo the last
 * writes, so the periods between failovers are checked separately. Each hold of a read/write lock or a semaphore is
 * checked separately. C1 checks which of these holds may exist at the same time.
 */
export const checkLinearizability: Check = (history) => checkLinearizabilityWithin(STEPS_MAX, history);

/** Checks linearizability. @param stepsMax maximum number of search steps; a lock that takes more steps is undecided */
export function checkLinearizabilityWithin(stepsMax: number, history: AnalyzedHistory): Verdict {
  const judged = groupByLock(history.claims).flatMap((claims) =>
    claims.some(isShared)
      ? judgeHolds(claims, history, stepsMax)
      : judgeSpans(claims, listCalls(claims, history), history, stepsMax),
  );
  const operations = judged.reduce((sum, { calls }) => sum + calls.length, 0);
  return {
    check: "C4",
    title: "one order fits all",
    violations: judged.flatMap(listViolations),
    undecided: judged
      .filter(({ found }) => found.outcome === "undecided")
      .map(
        ({ lock, calls }) =>
          `whether one order fits the ${calls.length} operations on ${lock} was not found out in ${stepsMax} steps`,
      ),
    notes: [`${operations} operations`],
  };
}

interface JudgedSpan {
  readonly lock: string;
  readonly calls: readonly Call[];
  readonly leases: readonly Lease[];
  readonly claims: readonly Claim[];
  readonly found: Outcome<Call, Lock>;
}

/** Checks each hold separately, as if it were the only hold of its lock. */
function judgeHolds(claims: readonly Claim[], history: AnalyzedHistory, stepsMax: number): JudgedSpan[] {
  const calls = listCallsByToken(claims, history);
  const tokens = groupBy(claims, ({ token }) => token);
  const entries = history.entries.filter(({ op }) => op === "fault");
  return [...tokens].flatMap(([token, own]) => {
    const mine = calls.get(token) ?? [];
    const span = {
      from: Math.min(...mine.map(({ call }) => call)),
      to: Math.max(...mine.map(({ answer }) => answer)),
    };
    const faults = history.faults.filter((fault) => isTouching(fault, span));
    const losses = listLossCalls(own, { ...history, entries, faults });
    return judgeSpans(own, [...mine, ...losses], history, stepsMax);
  });
}

/**
 * Checks each period between failovers separately. A failover undoes acknowledged writes, so no order is consistent
 * with the calls before and after it.
 */
function judgeSpans(
  claims: readonly Claim[],
  all: readonly Call[],
  history: AnalyzedHistory,
  stepsMax: number,
): JudgedSpan[] {
  const lock = claims[0]?.lock ?? "";
  const leases = listLeases(claims, history);
  return listStableSpans(history).map((part) => {
    const calls = clipCalls(part, all);
    const model = createLockModel(leases);
    const tokens = [...new Set(calls.flatMap(({ entries }) => entries.map(({ token = "" }) => token)))];
    const own = leases.filter(({ token }) => tokens.includes(token));
    const first = part.begins === "free" ? model.first : listPossibleLocks(tokens, own);
    return { lock, calls, leases, claims, found: linearize(calls, { ...model, first }, stepsMax) };
  });
}

function listViolations({ found, calls, leases, claims }: JudgedSpan): Violation[] {
  if (found.outcome !== "impossible") return [];
  const core = findMinimalCore(calls, found.stuck, leases);
  const { call, answer, entries } = found.stuck;
  const last = entries.at(-1);
  const summary = `${last?.token} ${last?.op} ${last?.code ?? last?.type} count=${last?.count}`;
  const have = [...new Set(found.states.map(describeHolder))].join(", or ");
  const what = `no order of events allows: ${summary}, ${toMilliseconds(call).toFixed(0)} to ${toMilliseconds(answer).toFixed(0)} ms, where ${have}`;
  const shown = core.flatMap((each) => each.entries);
  // A renewal proves that a hold still existed after its first lease.
  const renewals = claims.flatMap(({ written: { granted, furthest } }) =>
    shown.includes(granted) && (granted.deadline ?? 0) <= answer ? furthest : [],
  );
  return [createViolation("C4", what, [...shown, ...renewals])];
}

function describeHolder({ token, count }: Lock): string {
  if (token === undefined) return "nobody has it";
  return token === "" ? "the holder never received the grant" : `${token} has it, count ${count}`;
}
