/** The groups of routes, in the order in which the docs show them. */
export const TAGS = {
  Holds: "What applications call: acquire a lock, renew it, release it, verify that it is still held.",
  Locks: "Who holds which lock, who is waiting, what happened, and what is typical.",
  Operations:
    "What operators do about a lock. Each action compares the version the caller saw with the current one.",
  Streams: "Server-sent events for applications, scripts and the console.",
  Targets: "The Redis deployments that are watched, their health, and their lock formats.",
  Sessions: "How a browser logs in and out.",
  Administration: "API keys, operators, the audit log, and the OpenAPI document.",
} as const;

export type Tag = keyof typeof TAGS;
