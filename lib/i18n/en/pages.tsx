import type { ReactNode } from "react";

/** What stands where a page cannot be shown. */
export const pages = {
  namespace: "pages" as const,
  broke: "This page broke",
  nothingDone: "Nothing was done to any lock.",
  inLog: (digest: string) => `The server's log has it as ${digest}.`,
  nothingHere: "There is nothing at this address",
  addressOfLock: (start: ReactNode) => <>A lock's page is {start} and its key, percent-encoded.</>,
  allLocks: "All locks",
};
