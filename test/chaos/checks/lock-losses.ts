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
  /** The entries that belong to it. */
  readonly entries: readonly Entry[];
}

/** It is unknown whether the operation happened. */
export const MAYBE = { was: "maybe", does: "changes" } as const;

/** The kind of all operations that end a hold with all its counts, whatever caused them. */
export const formatEndKind = (token: string) => `end of ${token}`;

/** Lists what servers may have lost of a lock without any call. */
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

/** Lists possible evictions. While data is being lost, one hold after the other may disappear. */
function listEvictions(claims: readonly Claim[], story: AnalyzedHistory): Call[] {
  const evicting = { ...story, faults: story.faults.filter(({ fault }) => fault === "evict") };
  return claims.flatMap(({ token, sent, deadline }) =>
    findDataLosses(evicting, { from: sent, to: deadline }).map((fault) => {
      const place = {
        call: Math.max(fault.from, sent),
        answer: fault.to,
        entries: listFaultEntries(fault, story),
      };
      return { ...MAYBE, ...place, kind: formatEndKind(token), step: createEvictionStep(token) };
    }),
  );
}

/**
 * Lists possible losses of counts. A server that loses a companion, or a majority that loses a member, may lose the
 * count of a hold but not the hold.
 */
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
