import type { ReleaseTerms } from "../../../lib/contract/lock.ts";
import { FORMAT_FACTS } from "../../../lib/formats/format-catalogue.ts";
import type { FormatReleaseTerms } from "../lock-format.ts";
import type { HeldObservation } from "../observation.ts";
import { findLockFormat } from "./lock-formats.ts";

/**
 * The terms for a lock that no client holds on a majority of the masters. A client that is still acquiring the lock
 * relies on the masters that have granted it. A release on one of these masters could let two clients acquire the lock.
 */
const SPLIT_TERMS: ReleaseTerms = {
  ...{ may: "never", formats: [], oneHolder: false, reservable: false },
  why: "The masters have different owners, and none is known to hold the lock on a majority. Releasing one of them could let two clients acquire the lock.",
  instead: "Wait until the owners release it or their leases expire.",
};

/** Returns whether an operator is allowed to release or reserve a lock, with the reasons and conditions. */
export function getReleaseTerms(seen: HeldObservation): ReleaseTerms {
  if (seen.votes?.agreement === "different_owners") return SPLIT_TERMS;
  const { format, type, candidates, confidence, holders } = seen;
  const releaser = findLockFormat(format, type)?.releaser;
  const its: FormatReleaseTerms = releaser?.terms?.(seen) ?? {};
  const never = FORMAT_FACTS[format].never ?? ("never" in its ? its.never : undefined);
  if (releaser === undefined || never !== undefined || "never" in its) {
    const { why = "Lockkeeper does not release locks of this format.", instead } = never ?? {};
    const alternative = instead === undefined ? {} : { instead };
    return { may: "never", formats: [], oneHolder: false, reservable: false, why, ...alternative };
  }
  const oneHolder = (its.oneHolder ?? releaser.oneHolder) && holders.length > 1;
  const can = { oneHolder, reservable: its.reservable ?? releaser.reservable };
  const why = its.why === undefined ? {} : { why: its.why };
  if (confidence !== "possible") return { may: "yes", formats: [], ...can, ...why };
  const formats = [format, ...candidates].filter((name) => findLockFormat(name, type)?.releaser);
  return {
    ...{ may: "with_format", formats, ...can },
    why: "This may be application data and not a lock. Select its format to release it.",
  };
}
