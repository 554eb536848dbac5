/** The frame of every page. */
export const shell = {
  room: "shell" as const,
  console: "Console",
  skipToContent: "Skip to content",
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
  parts: { overview: "Overview", free: "The sheet that frees" },
  broken: {
    title: (part: string) => `${part}: this part broke.`,
    restGoesOn: "The rest of the page goes on, and nothing was done to any lock.",
    notLoaded: "It could not be loaded: perhaps the console was updated. Nothing was done to any lock.",
    again: "Try again",
    reload: "Reload the page",
  },
  themes: { system: "system", light: "light", dark: "dark" },
  changeTheme: (present: string, next: string) => `Theme: ${present}. Change to ${next}`,
  changeLanguage: (next: string) => `Change to ${next}`,
};
