/** The messages for the menu that copies details of a lock. */
export const lockCopy = {
  namespace: "lockCopy" as const,
  title: "Copy…",
  titleHint: "Copy… (c)",
  of: (key: string) => `Copy from ${key}`,
  link: "Link to this page",
  key: "Key",
  owner: "Owner",
  owners: (count: string) => `All ${count} owners, one per line`,
  noOwner: "The lock is not held.",
  curl: "curl: inspect",
  releaseCurl: "curl: release",
  releaseCurlHint: "Only this hold; recorded in the audit log",
  /** Reason that the copied curl command sends and that the audit log records. */
  curlReason: "Released with curl",
  formatUnknown: "The format is unknown. Release the lock in the console.",
  redisInspect: "redis-cli: inspect",
  redisRelease: "redis-cli: release",
  redisReleaseHint: "Not audited: deletes the key if this owner still holds it",
  redisReleaseUnavailable: "A single command cannot release this lock safely. Release it in the console.",
  copied: (what: string) => `Copied: ${what}`,
  notCopied: "The browser denied access to the clipboard.",
};
