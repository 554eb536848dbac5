import { type AnalyzedHistory, type FaultSpan, isQuorum } from "../history/analyzed-history.ts";
import type { Claim } from "../history/claims.ts";
import type { Entry } from "../history/entry.ts";
import { findDataLosses, isDataLoss } from "../history/losses.ts";
import type { Operation } from "./linearize.ts";
import {
  applyFenceWipe,
  applyWipe,
  createEvictionStep,
  createMiscountStep,
  type Lock,
} from "./lock-model.ts";

export interface Call extends Operation<Lock> {
  /** The history entries of the call. */
  readonly entries: readonly Entry[];
}

/** Properties of an operation for which it is unknown whether it was executed. */
export const MAYBE = { was: "maybe", does: "changes" } as const;

/** Returns the kind for operations that end a hold with all its counts, regardless of the cause. */
export const formatEndKind = (token: string) => `end of ${token}`;

/** Lists the changes to a lock that data losses of servers may have caused. */
export function listLossCalls(claims: readonly Claim[], history: AnalyzedHistory): Call[] {
  return [...listWipes(history), ...listEvictions(claims, history), ...listMiscounts(claims, history)];
}

function listWipes(history: AnalyzedHistory): Call[] {
  return history.faults.filter(isDataLoss).map((fault) => {
    const how =
      fault.loses === "data" || isQuorum(history)
        ? { kind: "wipe", step: applyWipe }
        : { kind: "wipe with fences", step: applyFenceWipe };
    return {
      ...MAYBE,
      ...how,
      call: fault.from,
      answer: fault.to,
      entries: listFaultEntries(fault, history),
    };
  });
}

/** Lists the possible evictions of holds. During the fault, successive holds may be evicted. */
function listEvictions(claims: readonly Claim[], history: AnalyzedHistory): Call[] {
  const evicting = { ...history, faults: history.faults.filter(({ fault }) => fault === "evict") };
  return claims.flatMap(({ token, sent, deadline }) =>
    findDataLosses(evicting, { from: sent, to: deadline }).map((fault) => {
      const place = {
        call: Math.max(fault.from, sent),
        answer: fault.to,
        entries: listFaultEntries(fault, history),
      };
      return { ...MAYBE, ...place, kind: formatEndKind(token), step: createEvictionStep(token) };
    }),
  );
}

/**
 * Lists possible losses of counts. If a server loses a companion, or one server of a majority loses its data, the count
 * of a hold may be lost but not the hold.
 */
function listMiscounts(claims: readonly Claim[], history: AnalyzedHistory): Call[] {
  const partial = {
    ...history,
    faults: history.faults.filter(({ fault }) => isQuorum(history) || fault === "evict"),
  };
  return claims.flatMap(({ token, count, sent, deadline }) => {
    if (count === 1) return [];
    return findDataLosses(partial, { from: sent, to: deadline }).map((fault) => {
      const place = {
        call: Math.max(fault.from, sent),
        answer: fault.to,
        entries: listFaultEntries(fault, history),
      };
      return { ...MAYBE, ...place, step: createMiscountStep(token) };
    });
  });
}

function listFaultEntries({ fault, target, from, to }: FaultSpan, { entries }: AnalyzedHistory): Entry[] {
  return entries.filter(
    (entry) => entry.fault === fault && entry.target === target && entry.t >= from && entry.t <= to,
  );
}
