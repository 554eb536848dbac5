import type { ReactNode } from "react";

const renderCode = (text: string) => <code className="font-mono text-xs">{text}</code>;

/** What stands in the place of rows, and above them where they come late. */
export const emptyLocks = {
  namespace: "emptyLocks" as const,
  clear: "Clear the search",
  copy: "Copy the command",
  notFound: {
    title: "No lock matches",
    text: (filter: ReactNode) => (
      <>
        Nothing that is held matches {filter}. All words must match: plain words look in key, owner and
        record; {renderCode("key:GLOB")} and {renderCode("owner:GLOB")} look in one; {renderCode("held>5m")}{" "}
        compares.
      </>
    ),
  },
  notASearch: {
    title: "This search cannot be understood",
    text: "What is wrong with it stands under the box. Nothing was asked with it, so no locks are shown.",
  },
  neverReached: {
    title: (label: string) => `${label} has not been reached yet`,
    text: (address: ReactNode) => (
      <>
        Lockkeeper looks for it at {address} and has no locks of it to show. It tries again every few seconds;
        this page goes on by itself.
      </>
    ),
    textSince: (address: ReactNode, since: ReactNode) => (
      <>
        Lockkeeper looks for it at {address} since {since}, and has no locks of it to show. It tries again
        every few seconds; this page goes on by itself.
      </>
    ),
    aside: (ago: string) => ` (${ago})`,
    allTargets: "All targets, and how each of them is",
  },
  nothingHeld: {
    title: "No locks are held",
    text: "Locks appear here as soon as a client acquires them. To try it, acquire one; it appears within a second:",
    keyAndOthers: (patterns: ReactNode) => (
      <>
        Set {renderCode("LOCKKEEPER_API_KEY")} to an API key from Settings. Locks of other clients, such as
        Redisson, are listed too if their key matches {patterns}. Is a lock missing?
      </>
    ),
  },
};
