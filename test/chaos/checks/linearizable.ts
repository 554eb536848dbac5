import { byLock, type Claim } from "../history/claims.ts";
import { inMs } from "../history/entry.ts";
import type { Story } from "../history/story.ts";
import { partsOf, within } from "./between-failovers.ts";
import { coreOf } from "./core.ts";
import { type Check, type Verdict, type Violation, violationOf } from "./finding.ts";
import { linearize, type Outcome } from "./linearize.ts";
import { callsOn, leasesOf } from "./lock-calls.ts";
import type { Call } from "./lock-losses.ts";
import { anyLock, type Lease, type Lock, lockModel } from "./lock-model.ts";

/** Hundreds of times what a run of ten minutes takes. */
const STEPS_MAX = 3_000_000;

/**
 * C4: what all were told fits one order of events on a lock that one owner has at a time, which counts its entries,
 * gives each new hold a larger fence, and may end a hold once its holder's deadline has passed. Where failovers undo what
 * was written last, this is asked of the time between them.
 */
export const linearizable: Check = (story) => linearizableWithin(STEPS_MAX, story);

/** @param stepsMax a lock that takes more is not decided */
export function linearizableWithin(stepsMax: number, story: Story): Verdict {
  const judged = byLock(story.claims).flatMap((claims) => judge(claims, story, stepsMax));
  const operations = judged.reduce((sum, { calls }) => sum + calls.length, 0);
  return {
    check: "C4",
    title: "one order fits all",
    violations: judged.flatMap(violationsIn),
    undecided: judged
      .filter(({ found }) => found.outcome === "undecided")
      .map(
        ({ lock, calls }) =>
          `whether one order fits the ${calls.length} operations on ${lock} was not found out in ${stepsMax} steps`,
      ),
    notes: [`${operations} operations`],
  };
}

interface Judged {
  readonly lock: string;
  readonly calls: readonly Call[];
  readonly leases: readonly Lease[];
  readonly claims: readonly Claim[];
  readonly found: Outcome<Call, Lock>;
}

/** Each stretch for itself: a failover undoes what was told already, and no order fits both sides of it. */
function judge(claims: readonly Claim[], story: Story, stepsMax: number): Judged[] {
  const lock = claims[0]?.lock ?? "";
  const all = callsOn(lock, story);
  const leases = leasesOf(claims, story);
  return partsOf(story).map((part) => {
    const calls = within(part, all);
    const model = lockModel(leases);
    const owners = [...new Set(calls.flatMap(({ entries }) => entries.map(({ owner = "" }) => owner)))];
    const own = leases.filter(({ owner }) => owners.includes(owner));
    const first = part.begins === "free" ? model.first : anyLock(owners, own);
    return { lock, calls, leases, claims, found: linearize(calls, { ...model, first }, stepsMax) };
  });
}

function violationsIn({ found, calls, leases, claims }: Judged): Violation[] {
  if (found.outcome !== "impossible") return [];
  const core = coreOf(calls, found.stuck, leases);
  const { call, answer, entries } = found.stuck;
  const last = entries.at(-1);
  const told = `${last?.owner} ${last?.op} ${last?.code ?? last?.type} count=${last?.count}`;
  const have = [...new Set(found.states.map(haveOf))].join(", or ");
  const what = `no order of events allows: ${told}, ${inMs(call).toFixed(0)} to ${inMs(answer).toFixed(0)} ms, where ${have}`;
  const shown = core.flatMap((each) => each.entries);
  // What says that a hold was not over: the grant, or a renewal where the first lease was.
  const renewals = claims.flatMap(({ written: { granted, furthest } }) =>
    shown.includes(granted) && (granted.deadline ?? 0) <= answer ? furthest : [],
  );
  return [violationOf("C4", what, [...shown, ...renewals])];
}

function haveOf({ owner, count }: Lock): string {
  if (owner === undefined) return "nobody has it";
  return owner === "" ? "somebody has it who never heard of it" : `${owner} has it, count ${count}`;
}
