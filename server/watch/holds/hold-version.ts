import { createHash, randomBytes } from "node:crypto";
import type { SeenHolder } from "../../formats/observation.ts";
import { hasUniqueOwner } from "./holder-identity.ts";
import type { ObservedHold, ObservedHolder } from "./observed-hold.ts";
import { isRecurring } from "./recurrence.ts";

/**
 * A version identifies a hold, or one holder of a shared lock.
 *
 * A Lockkeeper hold is identified by its fencing token (`fence`). Lockkeeper readers, and foreign holds whose owner
 * strings are never reused, are identified by the owner string (`token`). For all other holds, the version consists of
 * the owner, the observed epoch and the observation period (`seen`). The version of a hold with several holders
 * identifies all holders (`all` or `seen`).
 */

// Each process counts epochs from the start. Without the nonce, a version from another process could match by chance.
const PROCESS_NONCE = randomBytes(6).toString("base64url");

/** The continuity id used while Lockkeeper receives no notifications and can miss any change between two scans. */
export const NO_CONTINUITY = "x";

export function buildHoldVersion(hold: ObservedHold): string {
  const [first, second] = hold.holders;
  return second === undefined ? buildHolderVersion(hold, first) : buildSharedVersion(hold);
}

export function buildHolderVersion(hold: ObservedHold, holder: ObservedHolder): string {
  return formatCertainVersion(hold, holder) ?? formatObservedVersion(hold.continuityId, [holder]);
}

function buildSharedVersion(hold: ObservedHold): string {
  // Redis returns the members of a set or hash in no particular order.
  const holders = hold.holders.toSorted((a, b) =>
    formatHolderIdentity(a.seen) < formatHolderIdentity(b.seen) ? -1 : 1,
  );
  const names = holders.flatMap((holder) => formatCertainVersion(hold, holder) ?? []);
  return names.length === holders.length
    ? `all.${digestTexts(names)}`
    : formatObservedVersion(hold.continuityId, holders);
}

function formatCertainVersion({ seen }: ObservedHold, holder: ObservedHolder): string | undefined {
  const { fence, role } = holder.seen;
  if (fence !== null && role !== "read") return `fence.${fence}`;
  // Readers share the fencing token of the last writer. The token of a Lockkeeper hold is never reused.
  return fence !== null || hasUniqueOwner(seen) ? `token.${digestTokens([holder])}` : undefined;
}

function formatObservedVersion(continuityId: string, holders: readonly ObservedHolder[]): string {
  const ambiguousExits = holders.reduce((sum, each) => sum + each.ambiguousExits, 0);
  const [one, ...others] = holders.map(({ epoch }) => String(epoch));
  const epochs = others.length === 0 ? one : digestTexts([one ?? "", ...others]);
  return [
    "seen",
    PROCESS_NONCE,
    ambiguousExits === 0 ? continuityId : `${continuityId}-${ambiguousExits}`,
    epochs,
    digestTokens(holders),
  ].join(".");
}

/** Whether a version identifies the hold only by observation, because the hold's owner string can be reused. */
export function isObservedVersion(version: string): boolean {
  return version.startsWith("seen.");
}

export type VersionComparison = "same" | "changed" | "unverified";

/** The result of comparing a version with a hold. `holder` is set if the version identifies one of several holders. */
export interface VersionMatch {
  readonly comparison: VersionComparison;
  readonly holder: ObservedHolder | undefined;
}

/**
 * Compares the version that an operator saw with the current hold.
 *
 * `changed`: the current hold is certainly a different hold. `unverified`: the owner is the same, but may have released
 * the lock and acquired it again, because there was a gap in the observation or the key was reported as removed too
 * often.
 */
export function matchVersion(expected: string, hold: ObservedHold): VersionMatch {
  const watching = {
    isBlind: hold.continuityId === NO_CONTINUITY,
    isRecurring: isRecurring(hold.recurrence, hold.seen.asOf),
  };
  const whole: VersionMatch = {
    comparison: compareVersions(expected, buildHoldVersion(hold), watching),
    holder: undefined,
  };
  if (hold.holders.length === 1 || whole.comparison === "same") return whole;
  const parts = hold.holders.map((holder): VersionMatch => {
    return { comparison: compareVersions(expected, buildHolderVersion(hold, holder), watching), holder };
  });
  const matches = [whole, ...parts];
  return (
    matches.find(({ comparison }) => comparison === "same") ??
    matches.find(({ comparison }) => comparison === "unverified") ??
    whole
  );
}

function compareVersions(
  expected: string,
  present: string,
  { isBlind, isRecurring }: { isBlind: boolean; isRecurring: boolean },
): VersionComparison {
  const isSeen = isObservedVersion(present);
  if (expected === present) return isSeen && isBlind ? "unverified" : "same";
  const [then, now] = [parseVersion(expected), parseVersion(present)];
  if (then.owners === undefined || then.owners !== now.owners) return "changed";
  // The version was issued before the format was known. In the format that is known now, owner strings are never
  // reused, so the same owner has the same hold.
  if (!isSeen) return "same";
  const hasOtherEpoch = then.kind === "seen" && then.boot === PROCESS_NONCE && then.epochs !== now.epochs;
  if (hasOtherEpoch && !isRecurring) return "changed";
  return "unverified";
}

interface VersionParts {
  readonly kind: string | undefined;
  readonly boot?: string | undefined;
  readonly epochs?: string | undefined;
  readonly owners: string | undefined;
}

function parseVersion(version: string): VersionParts {
  const [kind, ...parts] = version.split(".");
  if (kind === "token" && parts.length === 1) return { kind, owners: parts[0] };
  if (kind !== "seen" || parts.length !== 4) return { kind, owners: undefined };
  const [boot, , epochs, owners] = parts;
  return { kind, boot, epochs, owners };
}

/**
 * Returns a digest of the stored fields that identify a holder. The owner string cannot be recovered from the digest.
 */
export function digestHolder(seen: SeenHolder): string {
  return digestTexts([formatHolderIdentity(seen), seen.fence ?? ""]);
}

function digestTokens(holders: readonly ObservedHolder[]): string {
  return digestTexts(holders.map(({ seen }) => formatHolderIdentity(seen)));
}

function formatHolderIdentity({ token, role, stored, ownersPerMaster }: SeenHolder): string {
  if (ownersPerMaster !== undefined) return ["", ...ownersPerMaster].join("\0");
  if (role === undefined && stored === undefined) return token;
  return [role ?? "", token, ...(stored ?? [])].join("\0");
}

function digestTexts(texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return hash.digest("base64url").slice(0, 12);
}
