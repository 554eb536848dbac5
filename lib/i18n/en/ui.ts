/** Messages that all namespaces share. */
export const ui = {
  namespace: "ui" as const,
  cancel: "Cancel",
  close: "Close",
  copied: "Copied",
  tryAgain: "Try again",
  clearSearch: "Clear search",
  suggestions: "Suggestions",
  /** Header of the table column that contains buttons. */
  actions: "Actions",
  waiting: "Waiting for a response",
  opening: "Opening… Press Esc to cancel.",
  loading: "Loading…",
  now: "now",
  never: "never",
  justNow: "just now",
  dateTimeInvalid: "Enter a time such as 14:05 or 11-21 14:05.",
  /** @param past the elapsed time with its unit, such as `4 s` */
  ago: (past: string) => `${past} ago`,
  /** @param left the remaining time with its unit, such as `4 s` */
  inTime: (left: string) => `in ${left}`,
  /** Abbreviations of the units of durations. */
  units: { ms: "ms", s: "s", m: "m", h: "h", d: "d" },
};
