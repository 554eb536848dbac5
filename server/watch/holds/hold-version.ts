import { createHash, randomBytes } from "node:crypto";
import type { SeenHolder } from "../../formats/observation.ts";
import { isNamedByOwner } from "./holder-identity.ts";
import type { HeldBy, Hold } from "./observed-hold.ts";

/**
 * A version names one hold, or one holder's part of it. Of our own holds the fence does, of others the owner where its
 * string never comes back (`token`). Where it may, the version is the owner and the epoch under which we saw it, with
 * the stretch of unbroken sight it was seen in (`seen`). Of several holders it names all (`all`, or `seen`).
 */

// Epochs begin anew with the process; without its name a version of another process could match by chance.
const BOOT = randomBytes(6).toString("base64url");

/** Sight of a picture that is only scanned: between two scans anything may have happened. */
export const NO_SIGHT = "x";

export function versionOf(hold: Hold): string {
  const [first, second] = hold.holders;
  return second === undefined ? holderVersionOf(hold, first) : sharedVersionOf(hold);
}

export function holderVersionOf(hold: Hold, holder: HeldBy): string {
  return certainName(hold, holder) ?? seenName(hold.sight, [holder]);
}

function sharedVersionOf(hold: Hold): string {
  // Redis gives the members of a set or a hash in any order.
  const holders = hold.holders.toSorted((a, b) => (idOf(a.seen) < idOf(b.seen) ? -1 : 1));
  const names = holders.flatMap((holder) => certainName(hold, holder) ?? []);
  return names.length === holders.length ? `all.${digestOf(names)}` : seenName(hold.sight, holders);
}

function certainName({ seen }: Hold, holder: HeldBy): string | undefined {
  if (holder.seen.fence !== null) return `fence.${holder.seen.fence}`;
  return isNamedByOwner(seen) ? `token.${ownersOf([holder])}` : undefined;
}

function seenName(sight: string, holders: readonly HeldBy[]): string {
  const doubts = holders.reduce((sum, each) => sum + each.doubts, 0);
  const [one, ...others] = holders.map(({ epoch }) => String(epoch));
  const epochs = others.length === 0 ? one : digestOf([one ?? "", ...others]);
  return ["seen", BOOT, doubts === 0 ? sight : `${sight}-${doubts}`, epochs, ownersOf(holders)].join(".");
}

/** Whether a version is of a hold that we know from watching alone. */
export function isWatchedVersion(version: string): boolean {
  return version.startsWith("seen.");
}

export type Comparison = "same" | "changed" | "unsure";

/** What a version is of: the hold as a whole, or (`holder`) what one of several holders has of it. */
export interface Match {
  readonly comparison: Comparison;
  readonly holder: HeldBy | undefined;
}

/**
 * Compares the version an operator saw with the hold that is there now.
 *
 * `changed`: certainly another hold. `unsure`: the same owner, but we did not watch without a break in between,
 * so it may have released and taken again.
 */
export function matchVersion(expected: string, hold: Hold): Match {
  const isBlind = hold.sight === NO_SIGHT;
  const whole: Match = { comparison: compare(expected, versionOf(hold), isBlind), holder: undefined };
  if (hold.holders.length === 1 || whole.comparison === "same") return whole;
  const parts = hold.holders.map((holder): Match => {
    return { comparison: compare(expected, holderVersionOf(hold, holder), isBlind), holder };
  });
  const matches = [whole, ...parts];
  return (
    matches.find(({ comparison }) => comparison === "same") ??
    matches.find(({ comparison }) => comparison === "unsure") ??
    whole
  );
}

function compare(expected: string, present: string, isBlind: boolean): Comparison {
  const isSeen = isWatchedVersion(present);
  if (expected === present) return isSeen && isBlind ? "unsure" : "same";
  const [then, now] = [partsOf(expected), partsOf(present)];
  if (then.owners === undefined || then.owners !== now.owners) return "changed";
  // What is known of the format has changed since: that owner is said to never come back.
  if (!isSeen) return "same";
  if (then.kind === "seen" && then.boot === BOOT && then.epochs !== now.epochs) return "changed";
  return "unsure";
}

interface Parts {
  readonly kind: string | undefined;
  readonly boot?: string | undefined;
  readonly epochs?: string | undefined;
  readonly owners: string | undefined;
}

function partsOf(version: string): Parts {
  const [kind, ...parts] = version.split(".");
  if (kind === "token" && parts.length === 1) return { kind, owners: parts[0] };
  if (kind !== "seen" || parts.length !== 4) return { kind, owners: undefined };
  const [boot, , epochs, owners] = parts;
  return { kind, boot, epochs, owners };
}

function ownersOf(holders: readonly HeldBy[]): string {
  return digestOf(holders.map(({ seen }) => idOf(seen)));
}

function idOf({ owner, role, stored }: SeenHolder): string {
  if (role === undefined && stored === undefined) return owner;
  return [role ?? "", owner, ...(stored ?? [])].join("\0");
}

function digestOf(texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return hash.digest("base64url").slice(0, 12);
}
