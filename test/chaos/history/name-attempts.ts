import type { Entry, Op } from "./entry.ts";

const ATTEMPTS: readonly Op[] = ["acquire", "resume"];

/**
 * Adds the granted token to the request of each acquire. An acquire that was refused or has no reply gets a unique name
 * instead, because no other call refers to its hold.
 */
export function nameAttempts(history: readonly Entry[]): Entry[] {
  const granted = new Map<string, string>();
  for (const entry of history) {
    if (ATTEMPTS.includes(entry.op) && entry.token !== undefined)
      granted.set(formatAttemptName(entry), entry.token);
  }
  return history.map((entry) => {
    if (!ATTEMPTS.includes(entry.op) || entry.token !== undefined) return entry;
    const name = formatAttemptName(entry);
    return { ...entry, token: granted.get(name) ?? name };
  });
}

function formatAttemptName({ process, call }: Entry): string {
  return `${process}#${call}`;
}
