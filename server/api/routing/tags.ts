/** What the routes are sorted by, in the order in which the docs show them: by what somebody wants to do. */
export const TAGS = {
  Verbs: "What apps call: acquire a lock, renew it, release it, ask whether it is still held.",
  Looking: "Who holds which lock, what happened to it, and what is usual.",
  Acting: "What operators do about a lock. Each compares what the caller saw with what is there.",
  Streams: "Server-sent events, for apps and scripts, and for the console.",
  Targets: "Which Redis servers are looked at, how safe they are for locks, and what is written there.",
  Sessions: "A browser's way in and out.",
  Administration: "Who may do what, what was done, and how the API describes itself.",
} as const;

export type Tag = keyof typeof TAGS;
