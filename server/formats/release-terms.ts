import { FORMAT_FACTS } from "../../lib/contract/format-facts.ts";
import type { ReleaseTerms } from "../../lib/contract/lock.ts";
import { knownFormat } from "./known-formats.ts";
import type { HeldObservation } from "./observation.ts";

/** What an operator may do about a lock of this format and confidence. */
export function releaseTermsOf(seen: HeldObservation): ReleaseTerms {
  const { format, type, candidates, confidence, holders } = seen;
  const frees = knownFormat(format, type)?.frees;
  const { never } = FORMAT_FACTS[format];
  if (frees === undefined || never !== undefined) {
    const { why = "Lockkeeper does not free locks of this format.", instead } = never ?? {};
    const told = instead === undefined ? {} : { instead };
    return { may: "never", formats: [], oneHolder: false, holdOff: false, why, ...told };
  }
  const can = { oneHolder: frees.oneHolder && holders.length > 1, holdOff: frees.holdOff };
  if (confidence !== "possible") return { may: "yes", formats: [], ...can };
  const formats = [format, ...candidates].filter((name) => knownFormat(name, type)?.frees);
  return {
    ...{ may: "with_format", formats, ...can },
    why: "It looks a little like a lock and may be somebody's data. Name its format to free it.",
  };
}
