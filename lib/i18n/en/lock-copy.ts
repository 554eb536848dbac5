/** What can be copied of one lock. */
export const lockCopy = {
  namespace: "lockCopy" as const,
  title: "Copy…",
  titleHint: "Copy… (c)",
  of: (key: string) => `Copy of ${key}`,
  link: "Link to this page",
  key: "Key",
  owner: "Owner",
  owners: (count: string) => `All ${count} owners, a line each`,
  noOwner: "Nobody holds it.",
  curl: "curl for the API",
  show: "redis-cli that shows it",
  free: "redis-cli that frees it",
  freeHint: "Only if that owner still holds it; nobody is asked, nothing recorded",
  freeNot: "It takes more than one comparison: free it from here.",
  copied: (what: string) => `Copied: ${what}`,
  notCopied: "The browser does not let this page copy.",
};
