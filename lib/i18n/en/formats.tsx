import type { ReactNode } from "react";
import type { Confidence } from "@/lib/contract/format.ts";

/** What is written where, and how it is found. */
export const formats = {
  namespace: "formats" as const,
  title: "Formats",
  loading: "Looking…",
  again: "Try again",
  rules: "Rules",
  rulesIntro:
    "Several libraries write the same into Redis. A rule says which one it is for keys of a name; the first that fits counts. Locks of these keys are certain from then on, and are freed as that library would.",
  noRules: "No rules: what a key is, is told by its name and shape alone.",
  fromConfiguration: "from the configuration",
  removeRuleFor: (pattern: string) => `Remove the rule for ${pattern}`,
  waiting: "Waiting for the answer",
  adminsOnly: "Rules are changed by an admin.",
  keys: "Keys",
  format: "Format",
  chooseFormat: "Format…",
  patternRequired: "Say for which keys.",
  formatRequired: "Say which format.",
  preview: "Preview rule",
  change: {
    adding: (pattern: ReactNode, format: string) => (
      <>
        What a rule that {pattern} is {format} would change
      </>
    ),
    removing: (pattern: ReactNode) => <>What it would change to remove the rule for {pattern}</>,
    reading: "Reading the locks as they would be read then…",
    nothing: "Nothing that is held now would be read differently.",
    count: (count: string, one: boolean) => `${count} ${one ? "lock" : "locks"}`,
    noLock: "no lock",
    affected: (affected: string, held: string) => `The rule decides for ${affected} of ${held} held locks.`,
    truncated: (looked: string) => `Only ${looked} of them were looked at.`,
    scannedAll: (scanned: string) => `${scanned} keys were gone through for others: all of them.`,
    scannedSome: (scanned: string) =>
      `${scanned} keys were gone through for others, and not all: there may be more.`,
    add: "Add rule",
    remove: "Remove rule",
    cancel: "Cancel",
  },
  confidences: { certain: "certain", likely: "likely", possible: "possible" } satisfies Record<
    Confidence,
    string
  >,
  notWatched: "Locks that are not watched",
  addRule: "Add a rule…",
  finder: {
    findCommand: "Find locks that nobody watches",
    stopFinding: "Stop looking for locks",
    find: "Find locks",
    findAgain: "Find locks again",
    resume: "Go on",
    sentenceEnd: "Stop",
    idle: "Goes through all keys, whatever is watched, in a fifth of the time.",
    progress: "How far the finder is",
    running: (scanned: string, of: string | null) =>
      of === null ? `${scanned} keys…` : `${scanned} of ${of} keys…`,
    ended: (scanned: string, of: string | null, found: boolean, soFar: boolean) =>
      `${scanned}${of === null ? "" : ` of ${of}`} keys: ${found ? "what is found is below" : "no locks"}${soFar ? ", so far" : ""}.`,
    /** null: the server says it in this very language. */
    failed: null as string | null,
    under: "under",
    confidence: (confidence: string, isWatched: boolean) => `${confidence}${isWatched ? ", watched" : ""}`,
    unlisted: ", not listed",
    toWatch: "To watch these as well, set this and start Lockkeeper again:",
    copySetting: "Copy the setting",
  },
  supportedFormats: "What is known",
  stop: ".",
  acquirable: "Locks are taken in it by this API, too.",
  selfRenewing: "Its holders renew by themselves.",
  notReleasable: "Never freed from here.",
};
