import { createHash, randomBytes } from "node:crypto";
import type { SeenHolder } from "../../formats/observation.ts";
import { hasUniqueOwner } from "./holder-identity.ts";
import type { ObservedHold, ObservedHolder } from "./observed-hold.ts";
import { isRecurring } from "./recurrence.ts";

/**
 * A version names one hold, or one holder's part of it. Of our own holds the fence does, of others the owner where its
 * string never comes back (`token`). Where it may, the version is the owner and the epoch under which we saw it, with
 * the stretch of unbroken sight it was seen in (`seen`). Of several holders it names all (`all`, or `seen`).
 */

// Epochs begin anew with the process; without its name a version of another process could match by chance.
const PROCESS_NONCE = randomBytes(6).toString("base64url");

/** Sight of a picture that is only scanned: between two scans anything may have happened. */
export const NO_CONTINUITY = "x";

export function buildHoldVersion(hold: ObservedHold): string {
  const [first, second] = hold.holders;
  return second === undefined ? buildHolderVersion(hold, first) : buildSharedVersion(hold);
}

export function buildHolderVersion(hold: ObservedHold, holder: ObservedHolder): string {
  return formatCertainVersion(hold, holder) ?? formatObservedVersion(hold.continuityId, [holder]);
}

function buildSharedVersion(hold: ObservedHold): string {
  // Redis gives the members of a set or a hash in any order.
  const holders = hold.holders.toSorted((a, b) =>
    formatHolderIdentity(a.seen) < formatHolderIdentity(b.seen) ? -1 : 1,
  );
  const names = holders.flatMap((holder) => formatCertainVersion(hold, holder) ?? []);
  return names.length === holders.length
    ? `all.${digestTexts(names)}`
    : formatObservedVersion(hold.continuityId, holders);
}

function formatCertainVersion({ seen }: ObservedHold, holder: ObservedHolder): string | undefined {
  if (holder.seen.fence !== null) return `fence.${holder.seen.fence}`;
  return hasUniqueOwner(seen) ? `token.${digestTokens([holder])}` : undefined;
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

/** Whether a version is of a hold that we know from watching alone. */
export function isObservedVersion(version: string): boolean {
  return version.startsWith("seen.");
}

export type VersionComparison = "same" | "changed" | "unverified";

/** What a version is of: the hold as a whole, or (`holder`) what one of several holders has of it. */
export interface VersionMatch {
  readonly comparison: VersionComparison;
  readonly holder: ObservedHolder | undefined;
}

/**
 * Compares the version an operator saw with the hold that is there now.
 *
 * `changed`: certainly another hold. `unverified`: the same owner, but we did not watch without a break in between,
 * or its key was reported gone too often: it may have been released and acquired again.
 */
export function matchVersion(expected: string, hold: ObservedHold): VersionMatch {
  const sight = {
    isBlind: hold.continuityId === NO_CONTINUITY,
    isRecurring: isRecurring(hold.recurrence, hold.seen.asOf),
  };
  const whole: VersionMatch = {
    comparison: compareVersions(expected, buildHoldVersion(hold), sight),
    holder: undefined,
  };
  if (hold.holders.length === 1 || whole.comparison === "same") return whole;
  const parts = hold.holders.map((holder): VersionMatch => {
    return { comparison: compareVersions(expected, buildHolderVersion(hold, holder), sight), holder };
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
  // What is known of the format has changed since: that owner is said to never come back.
  if (!isSeen) return "same";
  const isOfOtherEpoch = then.kind === "seen" && then.boot === PROCESS_NONCE && then.epochs !== now.epochs;
  if (isOfOtherEpoch && !isRecurring) return "changed";
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

/** Identifies a holder, as far as Redis alone can tell, without storing its owner string. */
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
