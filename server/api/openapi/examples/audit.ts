import type { AuditItem, AuditPage, AuditVerification } from "../../../../lib/contract/audit.ts";
import { AUDIT_CSV_HEADER, formatAuditCsvLine } from "../../../history/audit/audit-csv.ts";

const AT = 1_795_216_500_000;
const HEAD = { number: 1205, hash: "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c" };

const FORCE_RELEASE_ITEM: AuditItem = {
  number: 1204,
  at: AT,
  id: "Zk3vU0m1W8f2JtQ5",
  requestId: "5f0c2a9e-17",
  who: { kind: "session", id: "operator:mei", name: "mei", verbs: ["read", "force"] },
  from: { address: "10.0.4.7", agent: "Mozilla/5.0" },
  action: "force_release",
  target: "main",
  key: "lock:orders:42",
  seen: { version: "fence.1795216496123456", owners: ["checkout@pod-7:311"] },
  reason: "pod-7 lost its node",
  outcome: { number: 1205, at: AT + 3, code: "released", owner: "checkout@pod-7:311" },
};

export const AUDIT_PAGE: AuditPage = {
  items: [FORCE_RELEASE_ITEM],
  next: "1204",
  complete: false,
  head: HEAD,
};

export const INTACT_AUDIT: AuditVerification = {
  state: "intact",
  entries: 1205,
  anchor: { number: 0, hash: "0".repeat(64) },
  head: HEAD,
  from: AT - 86_400_000,
  to: AT + 3,
  losses: [],
  checkedAt: AT + 5000,
};

/** The example action as a CSV export of the audit log. */
export const AUDIT_CSV = AUDIT_CSV_HEADER + formatAuditCsvLine(FORCE_RELEASE_ITEM);

/** One line of a JSON Lines export of the audit log. */
export const AUDIT_LINE = {
  prev: "0".repeat(64),
  hash: HEAD.hash,
  entry: { number: 1, at: AT - 86_400_000, kind: "chain_begun", after: null },
};
