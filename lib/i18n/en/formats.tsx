import type { ReactNode } from "react";
import type { Confidence } from "@/lib/contract/format.ts";

/** The messages for the formats page: known formats, format rules and the lock finder. */
export const formats = {
  namespace: "formats" as const,
  title: "Formats",
  loading: "Loading…",
  again: "Try again",
  rules: "Rules",
  rulesIntro:
    "Some libraries write identical data to Redis. A rule assigns a format to a key pattern. The first match applies. Lockkeeper then treats the format of matching locks as certain and releases them the way their library would.",
  noRules: "No rules. Formats are detected from keys and values.",
  fromConfiguration: "from configuration",
  removeRuleFor: (pattern: string) => `Remove the rule for ${pattern}`,
  waiting: "Waiting for a response",
  adminsOnly: "Only admins can change rules.",
  keys: "Key pattern",
  format: "Format",
  chooseFormat: "Format…",
  patternRequired: "Enter a key pattern.",
  formatRequired: "Choose a format.",
  preview: "Preview rule",
  change: {
    adding: (pattern: ReactNode, format: string) => (
      <>
        Effect of the rule {pattern} → {format}
      </>
    ),
    removing: (pattern: ReactNode) => <>Effect of removing the rule for {pattern}</>,
    reading: "Loading…",
    nothing: "No held lock would change format.",
    count: (count: string, one: boolean) => `${count} ${one ? "lock" : "locks"}`,
    noLock: "not a lock",
    affected: (affected: string, held: string) => `The rule applies to ${affected} of ${held} held locks.`,
    truncated: (readCount: string) => `Only ${readCount} of them were read.`,
    scannedAll: (scanned: string) => `All ${scanned} other keys were scanned.`,
    scannedSome: (scanned: string) =>
      `Only ${scanned} of the other keys were scanned. There may be more changes.`,
    add: "Add rule",
    remove: "Remove rule",
    cancel: "Cancel",
  },
  confidences: { certain: "certain", likely: "likely", possible: "possible" } satisfies Record<
    Confidence,
    string
  >,
  notWatched: "Unwatched locks",
  addRule: "Add rule…",
  finder: {
    findCommand: "Find unwatched locks",
    stopFinding: "Stop finding locks",
    find: "Find locks",
    findAgain: "Find locks again",
    resume: "Resume",
    cancel: "Stop",
    idle: "Scans all keys, watched or not. The scan is active for at most 20% of the time.",
    progress: "Scan progress",
    running: (scanned: string, of: string | null) =>
      of === null ? `${scanned} keys…` : `${scanned} of ${of} keys…`,
    ended: (scanned: string, of: string | null, found: boolean, soFar: boolean) =>
      `${scanned}${of === null ? "" : ` of ${of}`} keys scanned${soFar ? " so far" : ""}: ${found ? "results below" : "no locks found"}.`,
    /** Message for a failed scan; `null` to show the server's message. */
    failed: null as string | null,
    under: "under",
    confidence: (confidence: string, isWatched: boolean) => `${confidence}${isWatched ? ", watched" : ""}`,
    unlisted: ", not listed",
    toWatch: "To watch these keys, set this variable and restart Lockkeeper:",
    copySetting: "Copy setting",
  },
  supportedFormats: "Supported formats",
  sentenceEnd: ".",
  acquirable: "The API can acquire locks in this format.",
  selfRenewing: "Holders renew automatically.",
  notReleasable: "Lockkeeper never releases these locks.",
};
