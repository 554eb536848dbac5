import type { Claim } from "../history/claims.ts";
import type { Entry } from "../history/entry.ts";
import { forgets, forgettingIn } from "../history/losses.ts";
import { type FaultSpan, isQuorum, type Story } from "../history/story.ts";
import type { Operation } from "./linearize.ts";
import { enteredOnce, freedOf, type Lock, wiped, wipedWithFences } from "./lock-model.ts";

export interface Call extends Operation<Lock> {
  /** What was written down of it. */
  readonly entries: readonly Entry[];
}

/** Nobody knows whether it happened. */
export const MAYBE = { was: "maybe", does: "changes" } as const;

/** What servers may have forgotten of a lock, without anybody's call. */
export function lossesOn(claims: readonly Claim[], story: Story): Call[] {
  return [...wipesOf(story), ...evictionsOf(claims, story), ...miscountsOf(claims, story)];
}

function wipesOf(story: Story): Call[] {
  return story.faults.filter(forgets).map((fault) => {
    const how =
      fault.loses === "data" || isQuorum(story)
        ? { kind: "wipe", step: wiped }
        : { kind: "wipe with fences", step: wipedWithFences };
    return { ...MAYBE, ...how, call: fault.from, answer: fault.to, entries: entriesOf(fault, story) };
  });
}

/** Where data goes missing for a while, hold after hold may be gone. */
function evictionsOf(claims: readonly Claim[], story: Story): Call[] {
  const evicting = { ...story, faults: story.faults.filter(({ fault }) => fault === "evict") };
  return claims.flatMap(({ owner, sent, deadline }) =>
    forgettingIn(evicting, { from: sent, to: deadline }).map((fault) => {
      const place = { call: Math.max(fault.from, sent), answer: fault.to, entries: entriesOf(fault, story) };
      return { ...MAYBE, ...place, step: freedOf(owner) };
    }),
  );
}

/** A server that loses a companion, or a majority that loses a member, may lose the count of a hold and not the hold. */
function miscountsOf(claims: readonly Claim[], story: Story): Call[] {
  const partial = {
    ...story,
    faults: story.faults.filter(({ fault }) => isQuorum(story) || fault === "evict"),
  };
  return claims.flatMap(({ owner, count, sent, deadline }) => {
    if (count === 1) return [];
    return forgettingIn(partial, { from: sent, to: deadline }).map((fault) => {
      const place = { call: Math.max(fault.from, sent), answer: fault.to, entries: entriesOf(fault, story) };
      return { ...MAYBE, ...place, step: enteredOnce(owner) };
    });
  });
}

function entriesOf({ fault, target, from, to }: FaultSpan, { history }: Story): Entry[] {
  return history.filter(
    (entry) => entry.fault === fault && entry.target === target && entry.t >= from && entry.t <= to,
  );
}
