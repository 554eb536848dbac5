/** What stands on the browser's tab. Named by the server alone. */
export const titles = {
  namespace: "titles" as const,
  description: "Who holds every lock in this Redis, live.",
  lock: "Lock",
  owners: "Owners",
  events: "Events",
  targets: "Targets",
  formats: "Formats",
  audit: "Audit",
  docs: "Docs",
  problems: "Problem codes",
  login: "Log in",
  settings: "Settings",
  keys: "API keys",
  operators: "Operators",
  sessions: "Sessions",
};
