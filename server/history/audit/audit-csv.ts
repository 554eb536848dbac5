import type { AuditItem } from "../../../lib/contract/audit.ts";
import { type CsvColumns, formatCsvHeader, formatCsvRow as lineOf } from "../../../lib/csv/csv.ts";

const COLUMNS: CsvColumns<AuditItem> = {
  number: ({ number }) => number,
  time: ({ at }) => new Date(at).toISOString(),
  action: ({ action }) => action,
  target: ({ target }) => target,
  key: ({ key }) => key,
  keyBase64: ({ keyBase64 }) => keyBase64,
  who: ({ who }) => who.name,
  whoId: ({ who }) => who.id,
  triedNames: ({ triedNames }) => triedNames?.join(" "),
  verbs: ({ who }) => who.verbs.join(" "),
  address: ({ from }) => from.address,
  agent: ({ from }) => from.agent,
  seenVersion: ({ seen }) => seen?.version,
  seenOwners: ({ seen }) => seen?.owners?.join(" "),
  reason: ({ reason }) => reason,
  details: ({ details }) => details && JSON.stringify(details),
  count: ({ count }) => count,
  requestId: ({ requestId }) => requestId,
  outcomeNumber: ({ outcome }) => outcome?.number,
  outcomeTime: ({ outcome }) => outcome && new Date(outcome.at).toISOString(),
  outcome: ({ outcome }) => outcome?.code ?? "not recorded",
  outcomeDetail: ({ outcome }) => outcome?.detail,
  outcomeOwner: ({ outcome }) => outcome?.owner,
  eventId: ({ outcome }) => outcome?.eventId,
  outcomeDetails: ({ outcome }) => outcome?.details && JSON.stringify(outcome.details),
};

export const AUDIT_CSV_HEADER = formatCsvHeader(COLUMNS);

export const formatAuditCsvLine = (item: AuditItem): string => lineOf(COLUMNS, item);
