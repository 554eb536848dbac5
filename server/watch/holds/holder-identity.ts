import { FORMAT_FACTS } from "../../../lib/formats/format-catalogue.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";

/** Whether an owner string names one hold, whichever of its formats the lock is of. Else it may come back. */
export function hasUniqueOwner({ format, candidates, isChosen }: HeldObservation): boolean {
  return (
    isChosen !== true &&
    FORMAT_FACTS[format].owner === "unique" &&
    candidates.every((candidate) => FORMAT_FACTS[candidate].owner === "unique")
  );
}

/** Whether what Redis shows names the hold, without our having watched: its fence, or an owner that never comes back. */
export function hasCertainIdentity(seen: HeldObservation, { fence }: SeenHolder): boolean {
  return fence !== null || hasUniqueOwner(seen);
}

/** Whether two looks show one holder, as far as Redis alone can tell. The label of a hold of ours says nothing. */
export function isSameHolder(a: SeenHolder, b: SeenHolder): boolean {
  return a.token === b.token && a.role === b.role && a.fence === b.fence && hasSameStoredFields(a, b);
}

function hasSameStoredFields({ stored: a = [] }: SeenHolder, { stored: b = [] }: SeenHolder): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}
