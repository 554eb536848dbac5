import type { AnalyzedHistory } from "../history/analyzed-history.ts";
import type { Entry } from "../history/entry.ts";
import { isDataLoss } from "../history/losses.ts";
import type { Model, Operation } from "./linearize.ts";
import { type CallPair, getArrivalEnd, listPairs } from "./lock-calls.ts";
import { MAYBE } from "./lock-losses.ts";

/** The count of a latch. The latch is open if the count is 0. */
type Count = number;

export interface LatchCall extends Operation<Count> {
  readonly entries: readonly Entry[];
}

export const OPS: readonly Entry["op"][] = ["set_count", "count_down", "await"];

export function createLatchModel(first: readonly Count[]): Model<Count> {
  return { first, formatName: String, listDrifts: () => [] };
}

/** Lists the calls that changed or read a latch, including calls that may have been executed. */
export function listLatchCalls(latch: string, history: AnalyzedHistory): LatchCall[] {
  const calls = listPairs(latch, history.entries).flatMap((pair) => toCalls(pair, history));
  const wipes = history.faults.filter(isDataLoss).map(({ from, to }) => ({
    ...{ ...MAYBE, call: from, answer: to, entries: [], kind: "wipe" },
    step: (count: Count) => (count === 0 ? undefined : 0),
  }));
  return [...calls, ...wipes];
}

function toCalls({ invoked, answer }: CallPair, history: AnalyzedHistory): LatchCall[] {
  const { op, t: call, count: asked = 0 } = invoked;
  if (answer?.type === "ok") {
    const place = { call, answer: answer.t, was: "done", entries: [invoked, answer] } as const;
    if (op === "set_count" && answer.code === "set")
      return [{ ...place, does: "changes", step: createSetStep(asked) }];
    if (op === "set_count")
      return [{ ...place, does: "looks", step: (count) => (count > 0 ? count : undefined) }];
    if (op === "await")
      return [{ ...place, does: "looks", step: (count) => (count === 0 ? count : undefined) }];
    const left = answer.count;
    return [
      {
        ...place,
        does: "changes",
        step: (count) => (Math.max(0, count - 1) === left ? left : undefined),
      },
    ];
  }
  if (op === "await" || answer?.type === "fail") return [];
  const step = op === "set_count" ? createSetStep(asked) : (count: Count) => Math.max(0, count - 1);
  // Calls with the same effect have the same kind. Otherwise, the search would try each subset of these calls.
  const kind = `${op} ${asked}`;
  const until = getArrivalEnd({ invoked, answer }, history);
  return [{ ...MAYBE, kind, call, answer: until, entries: [invoked], step }];
}

const createSetStep = (asked: Count) => (count: Count) => (count === 0 ? asked : undefined);
