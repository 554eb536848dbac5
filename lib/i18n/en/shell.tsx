/** Messages for the page frame: navigation, connection states and banners. */
export const shell = {
  namespace: "shell" as const,
  console: "Console",
  skipToContent: "Skip to content",
  // Navigation of pages that require no login.
  documentation: "Documentation",
  problemCodes: "Problem codes",
  openConsole: "Open console",
  places: {
    locks: "Locks",
    waits: "Waits",
    owners: "Owners",
    events: "Events",
    targets: "Targets",
    formats: "Formats",
    audit: "Audit log",
    docs: "Docs",
    settings: "Settings",
  },
  // Navigation bar on phones.
  liveEvents: "Live events",
  more: "More",
  close: "Close",
  needAttention: (count: string) => `${count} ${count === "1" ? "needs" : "need"} attention`,
  deadlocks: (count: string) => `${count} ${count === "1" ? "deadlock" : "deadlocks"}`,
  parts: { overview: "Overview", views: "Views", release: "The release panel" },
  broken: {
    title: (part: string) => `${part} stopped working.`,
    restWorks: "The rest of the page still works. No lock was changed.",
    again: "Try again",
  },
  /** Messages that are shown if a part of the console could not be loaded. */
  loadFailure: {
    dialog: "The dialog",
    title: (part: string) => `${part} could not be loaded.`,
    retryAdvice: {
      unknown: "No lock was changed.",
      unreachable: "Lockkeeper is unreachable. No lock was changed. Try again when the connection is back.",
      updated: "The console was probably updated. No lock was changed. Reload the page.",
    },
    reloadAdvice: {
      unknown: "No lock was changed.",
      unreachable:
        "Lockkeeper is unreachable. No lock was changed. Reload the page when the connection is back.",
      updated: "The console was probably updated. No lock was changed. Reload the page.",
    },
    retry: "Try again",
    reload: "Reload page",
    close: "Close",
  },
  themes: { system: "system", light: "light", dark: "dark" },
  changeTheme: (current: string, next: string) => `Theme: ${current}. Switch to ${next}`,
  changeLanguage: (next: string) => `Switch to ${next}`,
  keysHelp: "Keyboard shortcuts",
  keysHelpKey: (key: string) => `Keyboard shortcuts (${key})`,
  logOut: "Log out",
  logOutFailed: "Could not log out. Try again.",
  ranks: { viewer: "viewer", operator: "operator", admin: "admin", none: "no role" },

  /** Names of the states of a target. */
  states: { live: "live", catching_up: "catching up", partial: "partly unreachable", down: "unreachable" },
  readOnly: "read-only",
  target: (label: string) => `Target: ${label}`,
  noTarget: "none",
  noSuchTarget: "Unknown target",
  held: (count: string) => `${count} held`,

  // States of the page's connection to Lockkeeper.
  loggedOut: "logged out",
  notConnected: "not connected",
  asleep: "suspended",
  connecting: "connecting",
  unreachable: "Lockkeeper is unreachable",
  reconnecting: "reconnecting",
  reconnectingSince: (seconds: number) => `reconnecting, no data for ${seconds} s`,
  staleAnnouncement: "reconnecting, data is stale",
  redisDown: "Redis is unreachable",
  live: "live",
  liveBehind: (lag: string) => `live (lag ${lag})`,
  underOneMs: "< 1 ms",
  catchingUp: "catching up",
  catchingUpAt: (percent: number) => `catching up, ${percent}%`,
  mastersDown: (down: number, all: number) =>
    `${down} of ${all} masters ${down === 1 ? "is" : "are"} unreachable`,

  // Sentences about the completeness of the index, one for each cause.
  neverScanned: "The first full scan has not finished.",
  scanned: (age: string, took: string) => `Last full scan ${age} ago (took ${took}).`,
  scanning: (scanned: string, keys: string | null, took: string) =>
    keys === null
      ? `Scanning: ${scanned} keys in ${took}.`
      : `Scanning: ${scanned} of ${keys} keys in ${took}.`,
  missedChanges: (changes: number, age: string) =>
    `${changes} ${changes === 1 ? "change" : "changes"} found without a notification (last: ${age} ago).`,
  unreadable: (keys: number) =>
    `${keys} watched ${keys === 1 ? "key" : "keys"} cannot be read and may be locks. See Targets.`,
  omittedLocks: (locks: number) => `The index is full. Locks not shown: at least ${locks}.`,
  oversizedKeys: (keys: number) =>
    `${keys} watched ${keys === 1 ? "key is" : "keys are"} not shown: longer than 1,024 bytes.`,

  // Banner above stale data.
  staleUnreachable:
    "Could not reach Lockkeeper. Data may be stale, and locks cannot be released. Reconnecting…",
  staleSilent: (seconds: number) =>
    `No updates for ${seconds} s. Data may be stale, and locks cannot be released. Reconnecting…`,
  redisDownStale: "Redis is unreachable. Data is stale, and locks cannot be released until Redis is back.",
  majorityDownStale:
    "A majority of the masters is unreachable. Data is stale, and locks cannot be released until it is back.",
  minorityDown: (masters: string, names: string) =>
    `${masters}: ${names}. The majority is up, and all locks are current unless marked.`,
  someDown: (masters: string) =>
    `${masters}. Locks on unreachable masters are stale and cannot be released. All other locks are current.`,
  writesRefused: "Locks can be neither acquired nor renewed.",
  outdated: "Lockkeeper was updated. Reload the page to use the new version.",
  reloadPage: "Reload page",

  // Reasons why a button is disabled.
  releaseForbidden: "Your role (viewer) cannot release locks here.",
  targetReadOnly: "This target is read-only. Lockkeeper never writes to it.",
  blockedStale: "Data is stale. Actions are disabled until the connection is back.",
  blockedDown: "Redis is unreachable. Actions are disabled until it is back.",
  blockedNotLive: "Not connected. Actions are disabled until the page is live.",
};
