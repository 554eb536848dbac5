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
  releaseCurl: "curl that releases it",
  releaseCurlHint: "Only this hold; logged in the audit",
  /** Stands in the audit log as the reason. */
  curlReason: "Released with curl",
  formatUnknown: "Its format is unknown: release it in the console.",
  show: "redis-cli that shows it",
  free: "redis-cli that frees it",
  freeHint: "Not audited: deletes the key if that owner still holds it",
  freeNot: "It takes more than one comparison: free it from here.",
  copied: (what: string) => `Copied: ${what}`,
  notCopied: "The browser does not let this page copy.",
};
