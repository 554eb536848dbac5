import type { ReactNode } from "react";

/** Who did what. */
export const audit = {
  namespace: "audit" as const,
  title: "Audit",
  forAdmins: "The audit is for admins",
  forAdminsText:
    "It is one chain for all targets, so admins of all of them read it. You are not one: ask somebody who is.",
  loadingLog: "It is on its way.",
  refresh: "Look again",
  exportAs: (format: string) => `Export ${format}`,
  exportCsv: "The actions that the filters want",
  exportJsonl: "The chain as it is, for npm run audit:verify; of the filters the time alone counts",
  actions: "Actions",
  heads: {
    time: "Time",
    who: "Who",
    action: "Action",
    key: "Key and target",
    reason: "Reason",
    outcome: "Outcome",
  },
  /** Of a login that was refused. @param names that were tried */
  tried: (names: ReactNode) => <>tried {names}</>,

  verifying: "Checking…",
  verify: "Check the chain",
  verifyingChain: "The chain is gone through.",
  endsWith: (number: string) => `ends with entry ${number},`,
  copyHash: "Copy the hash of the newest entry",
  verifiedAt: (date: string) => `Checked ${date}`,
  intact: (entries: string) => `The chain is intact: ${entries} entries`,
  broken: "The chain is broken",
  brokenAt: (number: string, why: ReactNode) => (
    <>
      The chain is broken at entry {number}: {why}
    </>
  ),

  filters: "Filters",
  search: "Search the audit",
  searchHint: "Who, key, reason, owner or request id",
  fewer: "Fewer filters",
  more: "More filters",
  showAll: "Show all",
  filterLabels: { who: "Who", action: "Action", at: "Target", key: "Key", outcome: "Outcome" },
  anyName: "name",
  anyTime: "Any time",
  since: (from: string) => `Since ${from}`,
  until: (to: string) => `Until ${to}`,
  fromTo: (from: string, to: string) => `${from} to ${to}`,
  when: "When it was done",
  from: "From",
  to: "Until",
  zoneHint: (zone: ReactNode) => <>24-hour clock, in the time zone of this browser ({zone}).</>,
  endBeforeStart: "It ends before it begins.",
  apply: "Show these",

  loadingOlder: "They are on their way.",
  loading: "Loading…",
  loadOlder: "Load older",
  logStart: "This is where the audit begins.",
  notKept: "Older entries are not kept.",
  nothing: "Nothing is recorded yet",
  nothingText: "Whatever somebody changes or frees is written here, before it is done and after.",
  noMatch: "No action matches",
  showAllActions: "Show all actions",
  times: (count: string) => `${count} times`,
  notRecorded: "outcome not recorded",
};
