import { byLock } from "../history/claims.ts";
import type { Entry, Register } from "../history/entry.ts";
import type { Story } from "../history/story.ts";
import type { Check, Violation } from "./finding.ts";

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

function violation(what: string, ...entries: readonly Entry[]): Violation {
  const times = entries.map(({ t }) => t);
  const owners = entries.map(({ owner, value = "" }) => owner ?? value.slice(0, value.lastIndexOf("#")));
  const lock = entries[0]?.lock ?? "";
  return { check: "C3", what, lock, owners, from: Math.min(...times), to: Math.max(...times) };
}

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
  const times = new Map<string | undefined, number>();
  for (const { value } of fenced) times.set(value, (times.get(value) ?? 0) + 1);
  const answered = history.filter(({ op, type }) => op === "write" && type !== "invoke");
  return answered.flatMap((entry) => {
    const taken = times.get(entry.value) ?? 0;
    if (taken === (entry.type === "ok" ? 1 : 0)) return [];
    return [violation(`${entry.value} was answered with ${entry.type} and taken ${taken} times`, entry)];
  });
}
