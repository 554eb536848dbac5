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
  themes: { system: "system", light: "light", dark: "dark" },
  changeTheme: (present: string, next: string) => `Theme: ${present}. Change to ${next}`,
  changeLanguage: (next: string) => `Change to ${next}`,
};
