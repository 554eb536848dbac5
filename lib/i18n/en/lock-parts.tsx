import type { ReactNode } from "react";

/** Messages for the sections and dialogs of the lock page. */
export const lockParts = {
  namespace: "lockParts" as const,

  waiting: {
    title: (count: string) => `Waiting: ${count}`,
    titleNone: "Waiting",
    orders: {
      by_process:
        "Each process serves its own waiters in order of arrival. Order across processes is not guaranteed.",
      unknown: "The order of the waiters is unknown.",
    },
    known: {
      exact: "All waiters are listed.",
      estimated: "Counts subscribed clients. Each represents at least one waiter.",
      unknown: "Clients that poll are not visible.",
    },
    noWaiters: "No client is waiting.",
    noSubscriber: "No client is subscribed to release notifications.",
    noneVisible: "No visible waiters.",
    unnamed: (count: string) => `${count} more, owners unknown.`,
    notShown: (count: string) => `${count} more not shown.`,
    next: "next",
    place: (place: number) => `${place}.`,
    noPlace: "position unknown",
    since: (span: string) => `for ${span}`,
    sinceUnknown: "wait time unknown",
    until: (span: string) => `times out in ${span}`,
    untilOver: "timing out",
    untilDead: (span: string) => `considered alive for another ${span}`,
    byLockkeeper: "through Lockkeeper",
    byLibrary: "through its library",
    failed: "Could not load the waiters.",
  },

  typical: {
    title: "Typical duration",
    of: (pattern: ReactNode) => <>Locks that match {pattern}</>,
    held: "Held",
    waited: "Waited",
    none: "Not enough finished holds yet.",
    noneWaited: "No waits through Lockkeeper yet.",
    half: (p50: string, p95: string, longest: string) => `Median ${p50}, p95 ${p95}, longest ${longest}.`,
    samples: (count: string) => `${count} samples in the last 24 h, weighted toward recent ones.`,
    now: "Now",
    waitedNow: (span: string) => `Now ${span}`,
    asTypical: "This hold is within the typical range.",
    pastP95: "This hold is above p95.",
    times: (times: string) => `This hold is ${times}× the typical duration.`,
    waitsAsTypical: (span: string) => `Longest current wait: ${span}, within the typical range.`,
    waitsPast: (span: string) => `Longest current wait: ${span}, above p95.`,
    waitsTimes: (span: string, times: string) =>
      `Longest current wait: ${span}, ${times}× the typical duration.`,
    p50: "p50",
    p95: "p95",
  },

  owner: {
    title: (count: number, shown: string) =>
      count === 1 ? "1 other lock held by this owner" : `${shown} other locks held by this owner`,
    releaseAll: "Release all…",
    releaseAllHint: "Review and release all locks held by this owner, including this one",
    heldFor: "held for ",
    showAll: "Show all in the list",
  },

  raw: {
    title: "Redis data",
    copy: "Copy redis-cli command",
    show: "Show raw value",
    hide: "Hide raw value",
    silent: (master: string) => `${master} did not respond.`,
    master: (name: string) => `${name}: `,
    none: "The key does not exist.",
    noTtl: ", no TTL",
    left: (span: string) => `, TTL ${span}`,
    caption: "Contents of the key",
    notShown: (count: string) => `${count} more not shown.`,
    beginning: (bytes: string) => `Truncated. The full value has ${bytes} bytes.`,
    binary: (bytes: string, base64: string) => `${bytes} binary bytes (base64): ${base64}`,
  },

  // Dialogs that edit the note and extend the lease.
  note: "Note…",
  mayNotWrite: "Your role on this target is read-only.",
  extendLease: "Extend lease…",
  noLease: "The lock has no TTL, so there is no lease to extend.",
  waitForAnswer: "Waiting for a response",
  noteSheet: {
    title: "Note",
    empty: "Enter a note.",
    by: (name: string) => `Shown under the name ${name}`,
    remove: "Delete note",
    save: "Save note",
    label: "Note",
    hint: "Plain text, kept for 30 days. Nothing is written to this Redis.",
    example: "mei is investigating",
    about: "Applies to",
    hold: "this hold only",
    key: "the key, for any holder",
  },
  extend: {
    title: "Extend lease",
    formatRequired: "Select the format first.",
    reasonRequired: "Enter a reason.",
    by: (name: string) => `Recorded in the audit log as ${name}`,
    extendAnyway: "Extend the current hold",
    submit: "Extend lease",
    explanation: (who: ReactNode, left: ReactNode) => (
      <>
        {who} has {left} left. The lease is extended to at least the selected time and never shortened. The
        holder is not notified.
      </>
    ),
    label: "New lease (from now)",
    minutes: (minutes: number) =>
      minutes < 60 ? `${minutes} minutes` : minutes === 60 ? "1 hour" : `${minutes / 60} hours`,
    format: "Format",
    noFormat: "Select format…",
    lasts: {
      to_its_end: "No client will shorten the lease.",
      until_renewed: "The next renewal resets the lease to the client's value, which may be shorter.",
      unknown: "The next renewal may reset the lease to the client's value.",
    },
    left: (span: string) => `${span} left`,
    noTtl: "no TTL",
    extended: (has: string) => `Lease extended: ${has}.`,
    already: (has: string) => `Not changed: the lock already has ${has}.`,
    holdOf: (owner: ReactNode, lasts: string) => (
      <>
        Held by {owner}. {lasts}
      </>
    ),
  },
};
