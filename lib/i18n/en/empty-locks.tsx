import type { ReactNode } from "react";

const renderCode = (text: string) => <code className="font-mono text-xs">{text}</code>;

/**
 * Messages that are shown in place of an empty list of locks or of a target that cannot be opened, or above rows that
 * load late.
 */
export const emptyLocks = {
  namespace: "emptyLocks" as const,
  clear: "Clear search",
  copy: "Copy command",
  notFound: {
    title: "No lock matches",
    text: (filter: ReactNode) => (
      <>
        No held lock matches {filter}. All terms must match. Plain words search the key, the owner and the
        owner record. Use {renderCode("key:GLOB")} or {renderCode("owner:GLOB")} to search one field, and{" "}
        {renderCode("held>5m")} to compare.
      </>
    ),
  },
  notASearch: {
    title: "Invalid search",
    text: "See the message under the search box.",
  },
  neverReached: {
    title: (label: string) => `${label} is not connected yet`,
    text: (address: ReactNode) => (
      <>
        Lockkeeper is trying to connect to {address} and retries every few seconds. This page updates
        automatically.
      </>
    ),
    textSince: (address: ReactNode, since: ReactNode) => (
      <>
        Lockkeeper has been trying to connect to {address} since {since} and retries every few seconds. This
        page updates automatically.
      </>
    ),
    aside: (ago: string) => ` (${ago})`,
    allTargets: "All targets and their state",
  },
  /** Messages about a target that does not exist or to which the user has no access. */
  refused: {
    title: "Cannot open this target",
    text: (name: ReactNode) => (
      <>The target {name} does not exist, or you have no access to it. Targets that you can open:</>
    ),
    noTargets: "No access to any target",
    noTargetsAdvice: "You have no role on any target. Ask an admin to assign one.",
    // Not taken from `shell`: that import would add 1.3 KB to the first load of every page.
    logOut: "Log out",
    logOutFailed: "Could not log out. Try again.",
  },
  nothingHeld: {
    title: "No locks are held",
    text: "Locks appear here as soon as a client acquires them. To try it, run:",
    keyAndOthers: (patterns: ReactNode) => (
      <>
        Set {renderCode("LOCKKEEPER_API_KEY")} to an API key from Settings. Locks of other clients, such as
        Redisson, are listed too if their key matches {patterns}. Missing a lock?
      </>
    ),
  },
};
