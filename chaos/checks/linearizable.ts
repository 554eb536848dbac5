import { byLock, type Claim } from "../history/claims.ts";
import { inMs } from "../history/entry.ts";
import type { Story } from "../history/story.ts";
import type { Check, Violation } from "./finding.ts";
import { linearize } from "./linearize.ts";
import { type Call, callsOn, leasesOf } from "./lock-calls.ts";
import { type Lock, lockModel } from "./lock-model.ts";

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
  const calls = callsOn(lock, story);
  const model = lockModel(leasesOf(claims, story));
  const found = linearize(calls, model);
  const violations = found.outcome === "impossible" ? [violationOf(found.stuck, found.states, lock)] : [];
  return { outcome: found.outcome, count: calls.length, violations };
}

function violationOf(stuck: Call, states: readonly Lock[], lock: string): Violation {
  const { call, answer, entries } = stuck;
  const last = entries.at(-1);
  const told = `${last?.owner} ${last?.op} ${last?.code ?? last?.type} count=${last?.count}`;
  const have = [...new Set(states.map(haveOf))].join(", or ");
  const owners = [last?.owner ?? "", ...states.flatMap(({ owner }) => owner ?? [])];
  const what = `no order of events allows: ${told}, ${inMs(call).toFixed(0)} to ${inMs(answer).toFixed(0)} ms, where ${have}`;
  return { check: "C4", what, lock, owners, from: call, to: answer };
}

function haveOf({ owner, count }: Lock): string {
  if (owner === undefined) return "nobody has it";
  return owner === "" ? "somebody has it who never heard of it" : `${owner} has it, count ${count}`;
}
