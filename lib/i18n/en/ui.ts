/** What every namespace says: buttons, waiting, how long ago. */
export const ui = {
  namespace: "ui" as const,
  cancel: "Cancel",
  close: "Close",
  copied: "Copied",
  tryAgain: "Try again",
  clearSearch: "Clear the search",
  suggestions: "How it may go on",
  /** Heads the buttons of a row. */
  actions: "Actions",
  waiting: "Waiting for the answer",
  opening: "Opening… Press Esc to cancel.",
  loading: "Looking…",
  now: "now",
  never: "never",
  justNow: "just now",
  dateTimeInvalid: "Enter a time such as 14:05 or 11-21 14:05.",
  /** @param past with its unit, as `4 s` */
  ago: (past: string) => `${past} ago`,
  /** @param left with its unit, as `4 s` */
  inTime: (left: string) => `in ${left}`,
};
