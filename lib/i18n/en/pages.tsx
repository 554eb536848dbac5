import type { ReactNode } from "react";

/** What stands where a page cannot be shown. */
export const pages = {
  namespace: "pages" as const,
  pageFailed: "This page broke",
  noLockChanged: "Nothing was done to any lock.",
  errorId: (digest: string) => `The server's log has it as ${digest}.`,
  notFound: "There is nothing at this address",
  addressOfLock: (start: ReactNode) => <>A lock's page is {start} and its key, percent-encoded.</>,
  allLocks: "All locks",
};
