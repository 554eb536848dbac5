import { byLock } from "../history/claims.ts";
import type { Entry, Register } from "../history/entry.ts";
import type { Story } from "../history/story.ts";
import { type Check, type Violation, violationOf } from "./finding.ts";

interface Accepted extends Entry {
  readonly lock: string;
}

/** C3: the fenced register takes no fence below an earlier one, loses no update, and has each write it confirmed once. */
export const fencedRegister: Check = (story) => {
  const fenced = acceptedBy(story, "fenced");
  const unfenced = acceptedBy(story, "unfenced");
  const refused = story.history.filter(({ op, type }) => op === "write" && type === "fail").length;
  return {
    check: "C3",
    title: "the fenced register",
    violations: [
      ...byLock(fenced).flatMap((log) => [...stale(log), ...lost(log)]),
      ...unconfirmed(story, fenced),
    ],
    notes: [
      `${fenced.length} writes taken, ${refused} late ones refused; without the fence ${
        byLock(unfenced).flatMap(lost).length
      } updates would have been lost`,
    ],
  };
};

function acceptedBy({ history }: Story, register: Register): Accepted[] {
  return history.flatMap((entry) => {
    const { op, lock } = entry;
    return op === "accept" && entry.register === register && lock !== undefined ? [{ ...entry, lock }] : [];
  });
}

const violation = (what: string, ...entries: readonly Entry[]) => violationOf("C3", what, entries);

function stale(log: readonly Accepted[]): Violation[] {
  return log.flatMap((entry, at) => {
    const before = log[at - 1];
    if (before === undefined || BigInt(entry.fence ?? 0) >= BigInt(before.fence ?? 0)) return [];
    return [violation(`${entry.value} was taken with ${entry.fence} after ${before.fence}`, before, entry)];
  });
}

/** A write that was made from another version than the one it replaced. */
function lost(log: readonly Accepted[]): Violation[] {
  return log.flatMap((entry, at) => {
    const before = log[at - 1];
    if (before === undefined || entry.base === before.version) return [];
    return [
      violation(
        `${entry.value} was made from version ${entry.base} and replaced ${before.version}, ${before.value}`,
        before,
        entry,
      ),
    ];
  });
}

function unconfirmed({ history }: Story, fenced: readonly Accepted[]): Violation[] {
  const taken = new Map<string | undefined, Accepted[]>();
  for (const entry of fenced) taken.set(entry.value, [...(taken.get(entry.value) ?? []), entry]);
  const answered = history.filter(({ op, type }) => op === "write" && type !== "invoke");
  return answered.flatMap((entry) => {
    const times = taken.get(entry.value) ?? [];
    if (times.length === (entry.type === "ok" ? 1 : 0)) return [];
    const what = `${entry.value} was answered with ${entry.type} and taken ${times.length} times`;
    return [violation(what, ...times, entry)];
  });
}
