import type { ReactNode } from "react";

/** What stands below on the page of a lock, and the sheets that open from it. */
export const lockParts = {
  namespace: "lockParts" as const,

  /** Who waits. */
  waiting: {
    title: (count: string) => `Waiting: ${count}`,
    titleNone: "Waiting",
    orders: {
      by_process:
        "Each process serves its own waiters in order of arrival. Which process is first is undetermined.",
      unknown: "The order of the waiters is unknown.",
    },
    known: {
      exact: "These are all.",
      estimated: "Clients that listen are counted, each with one who waits or more.",
      unknown: "Who waits by asking again and again cannot be seen by anybody.",
    },
    nobody: "Nobody waits.",
    nobodyListens: "No client listens for its release.",
    nobodySeen: "Nobody is seen to wait.",
    unnamed: (count: string) => `${count} more are counted, and not known by name.`,
    notShown: (count: string) => `${count} more are not shown.`,
    next: "next",
    place: (place: number) => `${place}.`,
    noPlace: "its place cannot be told",
    since: (span: string) => `for ${span}`,
    sinceUnknown: "since when is not known",
    until: (span: string) => `gives up in ${span}`,
    untilOver: "gives up now",
    untilDead: (span: string) => `believed alive for ${span}`,
    byLockkeeper: "by Lockkeeper",
    byLibrary: "by its library",
    failed: "Who waits could not be looked at.",
  },

  /** What is typical. */
  typical: {
    title: "What is typical",
    of: (pattern: ReactNode) => <>Locks named {pattern}</>,
    held: "Held",
    waited: "Waited for",
    none: "Too few holds have ended to tell.",
    noneWaited: "Nobody has waited through Lockkeeper yet.",
    half: (p50: string, p95: string, longest: string) =>
      `Half took less than ${p50}, 19 of 20 less than ${p95}, the longest ${longest}.`,
    samples: (count: string) => `${count} in the last day, the older ones counted less.`,
    now: "Now",
    waitedNow: (span: string) => `Now ${span}`,
    asTypical: "This hold is within the typical range.",
    pastP95: "This hold has lasted longer than 19 of 20.",
    times: (times: string) => `This hold has lasted ${times} times the typical time.`,
    waitsAsTypical: (span: string) => `The longest wait has lasted ${span}: within the typical range.`,
    waitsPast: (span: string) => `The longest wait has lasted ${span}: longer than 19 of 20.`,
    waitsTimes: (span: string, times: string) =>
      `The longest wait has lasted ${span}: ${times} times the typical time.`,
    p50: "p50",
    p95: "p95",
  },

  /** Its owner's other locks. */
  owner: {
    title: (count: number, shown: string) =>
      count === 1 ? "1 other lock of this owner" : `${shown} other locks of this owner`,
    freeAll: "Free all…",
    freeAllHint: "All locks of this owner, this one among them; each is reviewed first",
    heldFor: "held for ",
    showAll: "Show all of them in the list",
  },

  /** As it stands in Redis. */
  raw: {
    title: "In Redis",
    copy: "Copy the command that shows it",
    show: "Show what is there",
    hide: "Hide what is there",
    silent: (master: string) => `${master} does not answer.`,
    master: (name: string) => `${name}: `,
    none: "There is no such key.",
    endless: ", no TTL",
    left: (span: string) => `, ${span} to live`,
    caption: "What the key holds",
    notShown: (count: string) => `${count} more are not shown.`,
    beginning: (bytes: string) => `The beginning of ${bytes} bytes.`,
    binary: (bytes: string, base64: string) => `${bytes} bytes that are no text; in base64: ${base64}`,
  },

  /** Notes and more time. */
  note: "Note…",
  mayNotWrite: "Your role at this target may look, not write.",
  moreTime: "More time…",
  nothingToProlong: "It has no TTL: there is no lease to extend.",
  waitForAnswer: "Waiting for the answer",
  noteSheet: {
    title: "Note for whoever looks next",
    empty: "Write something.",
    by: (name: string) => `Shown as written by ${name}`,
    remove: "Take it away",
    save: "Save the note",
    label: "Note",
    hint: "Plain text, kept for thirty days. Nothing is written into this Redis.",
    example: "mei is looking into it",
    about: "It is about",
    hold: "this hold, and ends with it",
    key: "the key, whoever holds it",
  },
  extend: {
    title: "More time",
    nameFormat: "Name its format.",
    sayWhy: "Say why.",
    by: (name: string) => `Will be recorded as ${name}, with the reason`,
    whateverNow: "Whatever it holds now",
    give: "Give it the time",
    has: (who: ReactNode, left: ReactNode) => (
      <>
        {who} has {left} left. It gets at least as much as is chosen here, and never less than it has; the
        holder itself is not told.
      </>
    ),
    label: "From now on it has",
    minutes: (minutes: number) =>
      minutes < 60 ? `${minutes} minutes` : minutes === 60 ? "1 hour" : `${minutes / 60} hours`,
    format: "Its format",
    noFormat: "Its shape alone does not tell…",
    lasts: {
      to_its_end: "Nobody shortens it.",
      until_renewed: "Its library renews, and sets its own time then, which may be shorter.",
      unknown: "Its library may set its own time at its next renewal.",
    },
    left: (span: string) => `${span} left`,
    noTtl: "no TTL",
    extended: (has: string) => `It has ${has} now.`,
    already: (has: string) => `It has ${has} already: nothing was done.`,
    holdOf: (owner: ReactNode, lasts: string) => (
      <>
        The hold of {owner}. {lasts}
      </>
    ),
  },
};
