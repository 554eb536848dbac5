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
  /** What was written down of it. */
  readonly entries: readonly Entry[];
}

/** Nobody knows whether it happened. */
export const MAYBE = { was: "maybe", does: "changes" } as const;

/** What servers may have forgotten of a lock, without anybody's call. */
export function listLossCalls(claims: readonly Claim[], story: AnalyzedHistory): Call[] {
  return [...listWipes(story), ...listEvictions(claims, story), ...listMiscounts(claims, story)];
}

function listWipes(story: AnalyzedHistory): Call[] {
  return story.faults.filter(isDataLoss).map((fault) => {
    const how =
      fault.loses === "data" || isQuorum(story)
        ? { kind: "wipe", step: applyWipe }
        : { kind: "wipe with fences", step: applyFenceWipe };
    return { ...MAYBE, ...how, call: fault.from, answer: fault.to, entries: listFaultEntries(fault, story) };
  });
}

/** Where data goes missing for a while, hold after hold may be gone. */
function listEvictions(claims: readonly Claim[], story: AnalyzedHistory): Call[] {
  const evicting = { ...story, faults: story.faults.filter(({ fault }) => fault === "evict") };
  return claims.flatMap(({ token, sent, deadline }) =>
    findDataLosses(evicting, { from: sent, to: deadline }).map((fault) => {
      const place = {
        call: Math.max(fault.from, sent),
        answer: fault.to,
        entries: listFaultEntries(fault, story),
      };
      return { ...MAYBE, ...place, step: createEvictionStep(token) };
    }),
  );
}

/** A server that loses a companion, or a majority that loses a member, may lose the count of a hold and not the hold. */
function listMiscounts(claims: readonly Claim[], story: AnalyzedHistory): Call[] {
  const partial = {
    ...story,
    faults: story.faults.filter(({ fault }) => isQuorum(story) || fault === "evict"),
  };
  return claims.flatMap(({ token, count, sent, deadline }) => {
    if (count === 1) return [];
    return findDataLosses(partial, { from: sent, to: deadline }).map((fault) => {
      const place = {
        call: Math.max(fault.from, sent),
        answer: fault.to,
        entries: listFaultEntries(fault, story),
      };
      return { ...MAYBE, ...place, step: createMiscountStep(token) };
    });
  });
}

function listFaultEntries({ fault, target, from, to }: FaultSpan, { history }: AnalyzedHistory): Entry[] {
  return history.filter(
    (entry) => entry.fault === fault && entry.target === target && entry.t >= from && entry.t <= to,
  );
}
