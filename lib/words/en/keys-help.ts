/** The list of keys. */
export const keysHelp = {
  room: "keysHelp" as const,
  title: "Keys",
  everything: "Every lock, page and command",
  search: "Search",
  nextRow: "Next row",
  rowBefore: "Row before",
  openLock: "Open the lock",
  freeLock: "Free the lock…",
  copyLock: "Copy the lock as a link or a command",
  tickRow: "Tick the row; with Shift, all up to it",
  pause: "Pause, go on",
  thisList: "This list",
  leave: "Close, untick, leave the search",
};
