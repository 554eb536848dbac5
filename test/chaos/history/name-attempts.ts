import type { Entry, Op } from "./entry.ts";

const ATTEMPTS: readonly Op[] = ["acquire", "resume"];

/**
 * Gives each acquire the token that it was granted. An acquire that was refused or never answered gets a unique name,
 * because no other call is about its hold.
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
