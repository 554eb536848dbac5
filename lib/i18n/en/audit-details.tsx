import type { ReactNode } from "react";

/** The details of one audited action. */
export const auditDetails = {
  namespace: "auditDetails" as const,
  when: "When",
  action: "Action",
  target: "Target",
  reason: "Reason",
  noReason: "no reason given",
  request: "Request",
  entry: "Entry",
  outcomeEntry: (number: string) => `, outcome in ${number}`,
  who: "Caller",
  /** @param kind the recorded kind, such as `session` */
  by: (kind: ReactNode) => <>{kind}, </>,
  permissions: (verbs: ReactNode) => <>, permissions: {verbs}</>,
  from: "From",
  unknown: "unknown",
  key: "Key",
  heldBy: "Held by",
  version: "Version seen",
  fence: "Fencing token",
  outcome: "Outcome",
  notRecorded: "not recorded: the action is still running, or the server or its store failed",
  holdOf: "Previous holder",
};
