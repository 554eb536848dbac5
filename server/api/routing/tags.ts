/** The tags that group the routes of the API, with their descriptions, in the order in which they are documented. */
export const TAGS = {
  Holds: "Acquire a lock, then renew, re-enter, verify and release the hold.",
  Locks: "List and read locks. Operators force-release, extend, reserve and annotate them.",
  Events: "What happened to locks: a stream of server-sent events, and the recent history.",
  Owners: "Locks grouped by owner, service, host or key prefix.",
  Statistics: "Counts, rates and typical times.",
  Targets: "The Redis deployments that Lockkeeper watches, and their health.",
  Formats: "Known lock formats, rules that assign them to keys, and a scan that finds locks.",
  Views: "Saved searches.",
  "API keys": "Credentials of applications.",
  Operators: "People who use the console, with their roles.",
  Sessions: "Browser logins.",
  Audit: "The tamper-evident log of operator and administrator actions.",
  Console: "The stream that the console uses. It may change without notice.",
  API: "The description of this API.",
} as const;

export type Tag = keyof typeof TAGS;
