import type { FormatName } from "@/lib/contract/format.ts";
import { FORMAT_FACTS } from "@/lib/formats/format-catalogue.ts";
import type { FormatFacts } from "@/lib/formats/format-facts.ts";

/** Sentences about one format: how waiters and the previous owner react to a force-release, and what harm it can do. */
export type FormatMessages = Pick<FormatFacts, "waiters" | "oldOwner" | "comesBack" | "never">;

/** Selects the messages from the facts, so that the English console shows the same sentences as the API. */
function toFormatMessages({ waiters, oldOwner, comesBack, never }: FormatFacts): FormatMessages {
  return {
    waiters,
    oldOwner,
    ...(comesBack === undefined ? {} : { comesBack }),
    ...(never === undefined ? {} : { never }),
  };
}

const all: readonly (readonly [string, FormatFacts])[] = Object.entries(FORMAT_FACTS);

export const formatFacts = {
  namespace: "formatFacts" as const,
  /** Descriptions of how Redis stores a lock, by format. */
  layouts: Object.fromEntries(all.map(([name, { layout }]) => [name, layout])) as Readonly<
    Record<FormatName, string>
  >,
  // FORMAT_FACTS has an entry for every format name, so the cast is complete.
  of: Object.fromEntries(all.map(([name, facts]) => [name, toFormatMessages(facts)])) as Readonly<
    Record<FormatName, FormatMessages>
  >,
};
