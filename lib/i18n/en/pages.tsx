import type { ReactNode } from "react";

/** The messages for the error pages. */
export const pages = {
  namespace: "pages" as const,
  pageFailed: "Something went wrong",
  noLockChanged: "No lock was changed.",
  errorId: (digest: string) => `Error ID in the server log: ${digest}`,
  notFound: "Page not found",
  addressOfLock: (start: ReactNode) => (
    <>The URL of a lock page is {start} followed by the percent-encoded key.</>
  ),
  allLocks: "All locks",
};
