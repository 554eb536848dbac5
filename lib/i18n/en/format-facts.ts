import type { FormatName } from "@/lib/contract/format.ts";
import { FORMAT_FACTS } from "@/lib/formats/format-catalogue.ts";
import type { FormatFacts } from "@/lib/formats/format-facts.ts";

/** What follows for whoever waits, and what the old owner's library does, when a lock of a format is freed. */
export type FormatMessages = Pick<FormatFacts, "waiters" | "oldOwner" | "comesBack" | "never">;

/** The same words as the API's, so that there is one place to correct them. */
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
  /** How a format stands in Redis. */
  layouts: Object.fromEntries(all.map(([name, { layout }]) => [name, layout])) as Readonly<
    Record<FormatName, string>
  >,
  // Of each name that the facts have: their type says that this is all of them.
  of: Object.fromEntries(all.map(([name, facts]) => [name, toFormatMessages(facts)])) as Readonly<
    Record<FormatName, FormatMessages>
  >,
};
