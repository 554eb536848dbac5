import { FORMAT_FACTS } from "../../../lib/formats/format-catalogue.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";

/**
 * Whether an owner string identifies a single hold in every possible format of the lock. False if the application chose
 * the owner string.
 */
export function hasUniqueOwner({ format, candidates, isChosen }: HeldObservation): boolean {
  return (
    isChosen !== true &&
    FORMAT_FACTS[format].owner === "unique" &&
    candidates.every((candidate) => FORMAT_FACTS[candidate].owner === "unique")
  );
}

/** Whether the stored data alone identifies the hold, by a fencing token or an owner string that is never reused. */
export function hasCertainIdentity(seen: HeldObservation, { fence }: SeenHolder): boolean {
  return fence !== null || hasUniqueOwner(seen);
}

/** Whether two observations show the same holder, based on stored data. Ignores the labels of Lockkeeper holds. */
export function isSameHolder(a: SeenHolder, b: SeenHolder): boolean {
  return a.token === b.token && a.role === b.role && a.fence === b.fence && hasSameStoredFields(a, b);
}

function hasSameStoredFields({ stored: a = [] }: SeenHolder, { stored: b = [] }: SeenHolder): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}
