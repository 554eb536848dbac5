import type { AuditItem } from "../../../lib/contract/audit.ts";

const COLUMNS: Readonly<Record<string, (item: AuditItem) => unknown>> = {
  number: ({ number }) => number,
  time: ({ at }) => new Date(at).toISOString(),
  action: ({ action }) => action,
  target: ({ target }) => target,
  key: ({ key }) => key,
  keyBase64: ({ keyBase64 }) => keyBase64,
  who: ({ who }) => who.name,
  whoId: ({ who }) => who.id,
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

export const CSV_HEAD = `${Object.keys(COLUMNS).join(",")}\r\n`;

export function csvLineOf(item: AuditItem): string {
  return `${Object.values(COLUMNS)
    .map((value) => cellOf(value(item)))
    .join(",")}\r\n`;
}

/** Spreadsheets take a cell that begins so for a formula, with letters of full width too. */
const FORMULA = /^[\s\p{C}]*[=+\-@＝＋－＠]/u;
/** What breaks lines, rings bells, or turns the direction of writing, and letters that are none by themselves. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Always in quotes; what would run as a formula is text, and what cannot be seen is written out. */
export function cellOf(value: unknown): string {
  const text = value === undefined ? "" : String(value);
  const seen = text.replace(UNSEEN, (mark) => `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`);
  const inert = typeof value === "string" && FORMULA.test(text) ? `'${seen}` : seen;
  return `"${inert.replaceAll('"', '""')}"`;
}
