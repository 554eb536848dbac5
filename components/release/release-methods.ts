import type { Holder, Lock } from "@/lib/contract/lock.ts";

/** In rising force. */
export type Choice = "lapse" | "release" | "hold-off";

/** Why one of them does not fit. */
export type Hindrance = "renewed" | "noExpiry" | "noRoom" | "others";

export interface Ways {
  /** The mildest first. */
  fits: readonly Choice[];
  not: readonly { choice: Choice; why: Hindrance }[];
}

/**
 * What can be done about a lock as it is now.
 *
 * @param only one of its holders: the others keep the lock
 */
export function waysFor(lock: Lock, only: Holder | undefined): Ways {
  const hindrances: Readonly<Record<Choice, Hindrance | null>> = {
    lapse: lapseHindrance(lock),
    release: null,
    "hold-off": holdOffHindrance(lock, only),
  };
  const fits: Choice[] = [];
  const not: { choice: Choice; why: Hindrance }[] = [];
  for (const choice of ["lapse", "release", "hold-off"] as const) {
    const why = hindrances[choice];
    if (why === null) fits.push(choice);
    else not.push({ choice, why });
  }
  return { fits, not };
}

function lapseHindrance({ remainingMs, verdict }: Lock): Hindrance | null {
  if (remainingMs === null) return "noExpiry";
  return verdict?.state === "renewing" ? "renewed" : null;
}

function holdOffHindrance({ release, holders }: Lock, only: Holder | undefined): Hindrance | null {
  if (only !== undefined && holders.length > 1) return "others";
  return release?.holdOff === false ? "noRoom" : null;
}
