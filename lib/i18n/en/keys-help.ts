/** The list of keys. */
export const keysHelp = {
  namespace: "keysHelp" as const,
  title: "Keys",
  everything: "Every lock, page and command",
  search: "Search",
  nextRow: "Next row",
  previousRow: "Row before",
  openLock: "Open the lock",
  releaseLock: "Free the lock…",
  copyLock: "Copy the lock as a link or a command",
  selectRow: "Tick the row; with Shift, all up to it",
  pause: "Pause, go on",
  pauseEvents: "Pause, go on with events or a replay",
  replayStep: "In a replay: 5 s back, on",
  replayLongStep: "In a replay: 30 s back, on",
  thisList: "This list",
  close: "Close, untick, leave the search",
};
