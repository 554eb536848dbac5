/** Titles of browser tabs and the description of the pages, rendered on the server. */
export const titles = {
  namespace: "titles" as const,
  description: "Live view of the locks in Redis and their holders.",
  lock: "Lock",
  waits: "Waits",
  owners: "Owners",
  events: "Events",
  targets: "Targets",
  formats: "Formats",
  audit: "Audit log",
  docs: "Docs",
  problems: "Problem codes",
  login: "Log in",
  settings: "Settings",
  keys: "API keys",
  operators: "Operators",
  sessions: "Sessions",
};
