import type { ReactNode } from "react";

/** All that is recorded of one action. */
export const auditDetails = {
  namespace: "auditDetails" as const,
  when: "When",
  action: "Action",
  target: "Target",
  reason: "Reason",
  noReason: "no reason given",
  request: "Request",
  entry: "Entry",
  outcomeEntry: (number: string) => `, its outcome ${number}`,
  who: "Who",
  /** @param kind as recorded, such as `session` */
  by: (kind: ReactNode) => <>by {kind}, </>,
  permissions: (verbs: ReactNode) => <>, might {verbs}</>,
  from: "From",
  unknown: "not known",
  key: "Key",
  heldBy: "Held by",
  version: "Version seen",
  fence: "Fence",
  outcome: "Outcome",
  notRecorded: "not recorded: it is still going on, or the server or its store ended in between",
  holdOf: "Hold of",
};
