import type { AnalyzedHistory } from "../history/analyzed-history.ts";
import { groupByLock } from "../history/claims.ts";
import type { Entry, Register } from "../history/entry.ts";
import { type Check, createViolation, type Violation } from "./check.ts";

interface AcceptedWrite extends Entry {
  readonly lock: string;
}

/**
 * C3: the fenced register rejects fences that are lower than an earlier fence, loses no update, and confirms each write
 * once.
 */
export const checkFencedRegister: Check = (history) => {
  const fenced = listAccepted(history, "fenced");
  const unfenced = listAccepted(history, "unfenced");
  const refused = history.entries.filter(({ op, type }) => op === "write" && type === "fail").length;
  return {
    check: "C3",
    title: "the fenced register",
    violations: [
      ...groupByLock(fenced).flatMap((log) => [...findStaleWrites(log), ...findLostUpdates(log)]),
      ...findUnconfirmedWrites(history, fenced),
    ],
    notes: [
      `${fenced.length} writes accepted, ${refused} late writes rejected; without the fencing token ${
        groupByLock(unfenced).flatMap(findLostUpdates).length
      } updates would have been lost`,
    ],
  };
};

function listAccepted({ entries }: AnalyzedHistory, register: Register): AcceptedWrite[] {
  return entries.flatMap((entry) => {
    const { op, lock } = entry;
    return op === "accept" && entry.register === register && lock !== undefined ? [{ ...entry, lock }] : [];
  });
}

const createRegisterViolation = (what: string, ...entries: readonly Entry[]) =>
  createViolation("C3", what, entries);

function findStaleWrites(log: readonly AcceptedWrite[]): Violation[] {
  return log.flatMap((entry, at) => {
    const before = log[at - 1];
    if (before === undefined || BigInt(entry.fence ?? 0) >= BigInt(before.fence ?? 0)) return [];
    return [
      createRegisterViolation(
        `${entry.value} was accepted with ${entry.fence} after ${before.fence}`,
        before,
        entry,
      ),
    ];
  });
}

/** Finds writes that replaced a different version than the one that they were based on. */
function findLostUpdates(log: readonly AcceptedWrite[]): Violation[] {
  return log.flatMap((entry, at) => {
    const before = log[at - 1];
    if (before === undefined || entry.base === before.version) return [];
    return [
      createRegisterViolation(
        `${entry.value} was based on version ${entry.base} and replaced ${before.version}, ${before.value}`,
        before,
        entry,
      ),
    ];
  });
}

function findUnconfirmedWrites({ entries }: AnalyzedHistory, fenced: readonly AcceptedWrite[]): Violation[] {
  const taken = new Map<string | undefined, AcceptedWrite[]>();
  for (const entry of fenced) taken.set(entry.value, [...(taken.get(entry.value) ?? []), entry]);
  const answered = entries.filter(({ op, type }) => op === "write" && type !== "invoke");
  return answered.flatMap((entry) => {
    const times = taken.get(entry.value) ?? [];
    if (times.length === (entry.type === "ok" ? 1 : 0)) return [];
    const what = `${entry.value} got the response ${entry.type} and was accepted ${times.length} times`;
    return [createRegisterViolation(what, ...times, entry)];
  });
}
