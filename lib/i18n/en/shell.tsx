import type { ReactNode } from "react";

/** The frame of every page. */
export const shell = {
  namespace: "shell" as const,
  console: "Console",
  skipToContent: "Skip to content",
  /** Of the pages that need no login. */
  documentation: "Documentation",
  problemCodes: "Problem codes",
  openConsole: "Open console",
  places: {
    locks: "Locks",
    owners: "Owners",
    events: "Events",
    targets: "Targets",
    formats: "Formats",
    audit: "Audit",
    docs: "Docs",
    settings: "Settings",
  },
  /** In the bar of a phone. */
  liveEvents: "Live events",
  more: "More",
  close: "Close",
  needAttention: (count: string) => `${count} need attention`,
  parts: { overview: "Overview", views: "Views", release: "The sheet that frees" },
  broken: {
    title: (part: string) => `${part}: this part broke.`,
    restWorks: "The rest of the page goes on, and nothing was done to any lock.",
    again: "Try again",
  },
  /** Code of the console that could not be loaded. */
  loadFailure: {
    dialog: "The dialog",
    title: (part: string) => `${part} could not be loaded.`,
    retryAdvice: {
      unknown: "Nothing was done to any lock.",
      unreachable:
        "Lockkeeper is unreachable. Nothing was done to any lock. Try again when the connection is back.",
      updated: "The console was probably updated. Nothing was done to any lock. Reload the page.",
    },
    reloadAdvice: {
      unknown: "Nothing was done to any lock.",
      unreachable:
        "Lockkeeper is unreachable. Nothing was done to any lock. Reload the page when the connection is back.",
      updated: "The console was probably updated. Nothing was done to any lock. Reload the page.",
    },
    retry: "Try again",
    reload: "Reload the page",
    close: "Close",
  },
  themes: { system: "system", light: "light", dark: "dark" },
  changeTheme: (present: string, next: string) => `Theme: ${present}. Change to ${next}`,
  changeLanguage: (next: string) => `Change to ${next}`,
  keysHelp: "Keyboard keys",
  keysHelpKey: (key: string) => `Keyboard keys (${key})`,
  logOut: "Log out",
  logOutFailed: "Logging out failed: try again",
  ranks: { viewer: "viewer", operator: "operator", admin: "admin", none: "no role" },

  /** Of a target, in the menu and in lists. */
  states: { live: "live", catching_up: "catching up", partial: "down in part", down: "down" },
  readOnly: "read-only",
  target: (label: string) => `Target: ${label}`,
  noTarget: "none",
  noSuchTarget: "No such target",
  held: (count: string) => `${count} held`,
  unknownTarget: "There is no such target",
  unknownTargetNamed: (name: ReactNode) => <>Nothing that is configured is called {name}. There are:</>,

  /** How the page is connected, in a word or two. */
  loggedOut: "logged out",
  asleep: "asleep",
  connecting: "connecting",
  unreachable: "Lockkeeper cannot be reached",
  reconnecting: "reconnecting",
  reconnectingSince: (seconds: number) => `reconnecting, stale for ${seconds} s`,
  staleAnnouncement: "reconnecting, the data is stale",
  redisDown: "Redis is down",
  live: "live",
  liveBehind: (lag: string) => `live, ${lag} behind`,
  underOneMs: "under 1 ms",
  catchingUp: "catching up",
  catchingUpAt: (percent: number) => `catching up, ${percent} %`,
  mastersDown: (down: number, all: number) => `${down} of ${all} masters ${down === 1 ? "is" : "are"} down`,

  /** How whole the picture is, a sentence each. */
  neverScanned: "All keys have not been gone through yet.",
  scanned: (age: string, took: string) => `All keys were gone through ${age} ago, in ${took}.`,
  scanning: (scanned: string, keys: string | null, took: string) =>
    keys === null
      ? `Under way: ${scanned} keys, for ${took}.`
      : `Under way: ${scanned} of ${keys} keys, for ${took}.`,
  missedChanges: (changes: number, age: string) =>
    `${changes} ${changes === 1 ? "change was" : "changes were"} found that Redis never told of, the last ${age} ago.`,
  unreadable: (keys: number) =>
    `${keys} watched ${keys === 1 ? "key" : "keys"} cannot be read and may be locks: see Targets.`,
  omittedLocks: (locks: number) => `${locks} locks or more are left out: the picture is full.`,
  oversizedKeys: (keys: number) =>
    `${keys} watched ${keys === 1 ? "key is" : "keys are"} left out: the name is longer than 1,024 bytes.`,

  /** Above a page that may be wrong. */
  staleUnreachable:
    "Lockkeeper cannot be reached. What you see may be out of date; nothing can be freed. This page tries again by itself.",
  staleSilent: (seconds: number) =>
    `Nothing was heard for ${seconds} s. What you see may be out of date; nothing can be freed. This page tries again by itself.`,
  redisDownStale: "Redis is down, so this page is stale: nothing can be freed until it is back.",
  majorityDownStale:
    "A majority of the masters is down, so this page is stale: nothing can be freed until it is back.",
  minorityDown: (masters: string, names: string) =>
    `${masters}: ${names}. The others decide, and every lock is as shown unless it says otherwise.`,
  someDown: (masters: string) =>
    `${masters}: what is shown of their locks is stale, and those cannot be freed. All others are as shown.`,
  writesRefused: "Locks can be neither acquired nor renewed.",
  outdated: "Lockkeeper was updated: this page does not understand all of it any more.",
  reloadPage: "Load it again",

  /** Why a button is blocked. */
  releaseForbidden: "Your role (viewer) cannot release locks here.",
  targetReadOnly: "This target is read-only: nothing is ever written to it.",
  blockedStale: "The picture is stale: nothing can be done until it is live again.",
  blockedDown: "Redis is down: nothing can be done until it is back.",
  blockedNotLive: "Not connected: nothing can be done until the picture is live.",
};
