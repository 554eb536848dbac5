import { createHash, randomBytes } from "node:crypto";
import type { Hold } from "./hold.ts";

/**
 * A version names one hold. Of our own holds the fence does. A foreign owner string may come back, so there the
 * version is the owner and the epoch under which we saw it, with the stretch of unbroken sight it was seen in.
 */

// Epochs begin anew with the process; without its name a version of another process could match by chance.
const BOOT = randomBytes(6).toString("base64url");

/** Sight of a picture that is only scanned: between two scans anything may have happened. */
export const NO_SIGHT = "x";

export function versionOf(hold: Hold): string {
  const [first] = hold.seen.holders;
  if (first.fence !== null) return `fence.${first.fence}`;
  return ["seen", BOOT, hold.sight, hold.epoch, ownersOf(hold)].join(".");
}

/** Whether a version is of a hold that we know from watching alone. */
export function isWatchedVersion(version: string): boolean {
  return version.startsWith("seen.");
}

export type Comparison = "same" | "changed" | "unsure";

/**
 * Compares the version an operator saw with the hold that is there now.
 *
 * `changed`: certainly another hold. `unsure`: the same owner, but we did not watch without a break in between,
 * so it may have released and taken again.
 */
export function compareVersion(expected: string, hold: Hold): Comparison {
  const present = versionOf(hold);
  if (expected === present) return hold.sight === NO_SIGHT && present.startsWith("seen.") ? "unsure" : "same";
  const [kind, boot, , epoch, owners] = expected.split(".");
  if (kind !== "seen" || !present.startsWith("seen.") || owners !== ownersOf(hold)) return "changed";
  if (boot === BOOT && epoch !== String(hold.epoch)) return "changed";
  return "unsure";
}

function ownersOf(hold: Hold): string {
  const hash = createHash("sha256");
  for (const { owner } of hold.seen.holders) hash.update(owner).update("\0");
  return hash.digest("base64url").slice(0, 12);
}
