/** The messages for the keyboard shortcuts dialog. */
export const keysHelp = {
  namespace: "keysHelp" as const,
  title: "Keyboard shortcuts",
  everything: "Find a lock, page or command",
  search: "Search",
  nextRow: "Next row",
  previousRow: "Previous row",
  openLock: "Open lock",
  releaseLock: "Release lock…",
  copyLock: "Copy a link or command for the lock",
  selectRow: "Select row, or a range of rows with Shift",
  pause: "Pause or resume the table",
  pauseEvents: "Pause or resume events or the replay",
  replayStep: "Replay: back or forward 5 s",
  replayLongStep: "Replay: back or forward 30 s",
  thisList: "Show this list",
  close: "Close, clear selection, leave search",
};
