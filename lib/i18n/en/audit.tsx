import type { ReactNode } from "react";

/** The messages for the audit log page. */
export const audit = {
  namespace: "audit" as const,
  title: "Audit log",
  forAdmins: "Global admins only",
  forAdminsText:
    "The audit log covers all targets, so only global admins can read it. Ask a global admin for help.",
  loadingLog: "Loading…",
  refresh: "Refresh",
  exportAs: (format: string) => `Export ${format}`,
  exportCsv: "Actions that match the filters",
  exportJsonl:
    "All entries in the selected time range, for lockkeeper audit verify. Other filters are ignored.",
  actions: "Actions",
  heads: {
    time: "Time",
    who: "Caller",
    action: "Action",
    key: "Key and target",
    reason: "Reason",
    outcome: "Outcome",
  },
  /** @param names names that the caller tried in refused logins */
  tried: (names: ReactNode) => <>tried {names}</>,

  verifying: "Verifying…",
  verify: "Verify audit log",
  verifyingChain: "Verifying the audit log.",
  endsWith: (number: string) => `last entry ${number},`,
  copyHash: "Copy hash of the last entry",
  verifiedAt: (date: string) => `Verified ${date}`,
  intact: (entries: string) => `Audit log is intact (${entries} entries)`,
  broken: "Audit log is broken",
  brokenAt: (number: string, why: ReactNode) => (
    <>
      Audit log is broken at entry {number}: {why}
    </>
  ),

  filters: "Filters",
  search: "Search audit log",
  searchHint: "Caller, key, reason, owner or request ID",
  fewer: "Fewer filters",
  more: "More filters",
  showAll: "Show all",
  filterLabels: { who: "Caller", action: "Action", at: "Target", key: "Key", outcome: "Outcome" },
  anyName: "name",
  anyTime: "Any time",
  since: (from: string) => `Since ${from}`,
  until: (to: string) => `Until ${to}`,
  fromTo: (from: string, to: string) => `${from} to ${to}`,
  when: "Time range",
  from: "From",
  to: "To",
  zoneHint: (zone: ReactNode) => <>24-hour clock, in the time zone of this browser ({zone}).</>,
  endBeforeStart: "The end must be after the start.",
  apply: "Apply",

  loadingOlder: "Loading…",
  loading: "Loading…",
  loadOlder: "Load older",
  logStart: "Start of the audit log.",
  notKept: "Older entries have been deleted.",
  nothing: "No actions yet",
  nothingText: "Every change and release is recorded here, before it starts and after it ends.",
  noMatch: "No matching actions",
  showAllActions: "Show all actions",
  times: (count: string) => `${count} times`,
  notRecorded: "outcome not recorded",

  /** The details of one audited action. */
  details: {
    when: "When",
    action: "Action",
    target: "Target",
    reason: "Reason",
    noReason: "no reason given",
    request: "Request",
    entry: "Entry",
    outcomeEntry: (number: string) => `, outcome in ${number}`,
    who: "Caller",
    /** @param kind kind of caller, such as `session` */
    by: (kind: ReactNode) => <>{kind}, </>,
    permissions: (verbs: ReactNode) => <>, permissions: {verbs}</>,
    from: "From",
    unknown: "unknown",
    key: "Key",
    heldBy: "Held by",
    version: "Version seen",
    fence: "Fencing token",
    outcome: "Outcome",
    notRecorded: "not recorded: the action is still running, or Lockkeeper or its storage failed",
    holdOf: "Previous holder",
  },
};
