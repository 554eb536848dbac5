import { matchesGlob } from "./glob.ts";

/** The criteria of an audit log filter, with the fields of `AuditFilter` in the contract. */
export interface AuditCriteria {
  readonly target?: string | undefined;
  readonly requestId?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly who?: string | undefined;
  readonly key?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: string | undefined;
  readonly text?: string | undefined;
}

/** The fields of an audited action that a filter compares. */
export interface AuditSubject {
  readonly at: number;
  readonly action: string;
  readonly who: { readonly name: string; readonly id: string };
  readonly triedNames?: readonly string[] | undefined;
  readonly target?: string | undefined;
  readonly key?: string | undefined;
  readonly reason?: string | undefined;
  readonly requestId?: string | undefined;
  readonly outcome?: { readonly code: string; readonly owner?: string | undefined } | null | undefined;
  readonly seen?: { readonly owners?: readonly string[] | undefined } | undefined;
}

/** Creates a function that returns whether an action matches all criteria. Globs and text are case-insensitive. */
export function createAuditMatcher(filter: AuditCriteria): (item: AuditSubject) => boolean {
  const { target, requestId, from = 0, to = Number.POSITIVE_INFINITY } = filter;
  const [who, key] = [filter.who?.toLowerCase(), filter.key?.toLowerCase()];
  const [actions, outcomes] = [parseNames(filter.action), parseNames(filter.outcome)];
  const words = (filter.text ?? "").toLowerCase().split(/\s+/);
  return (item) =>
    item.at >= from &&
    item.at <= to &&
    (target === undefined || item.target === target) &&
    (requestId === undefined || item.requestId === requestId) &&
    (actions === undefined || actions.has(item.action)) &&
    (outcomes === undefined || outcomes.has(item.outcome?.code ?? "none")) &&
    (who === undefined ||
      [item.who.name, item.who.id, ...(item.triedNames ?? [])].some((text) =>
        matchesGlob(who, text.toLowerCase()),
      )) &&
    (key === undefined || (item.key !== undefined && matchesGlob(key, item.key.toLowerCase()))) &&
    hasAllWords(words, item);
}

function parseNames(list: string | undefined): ReadonlySet<string> | undefined {
  return list === undefined ? undefined : new Set(list.split(","));
}

function hasAllWords(
  words: readonly string[],
  { who, triedNames = [], key, reason, seen, outcome, requestId }: AuditSubject,
): boolean {
  const texts = [
    who.name,
    who.id,
    key,
    reason,
    requestId,
    outcome?.owner,
    ...triedNames,
    ...(seen?.owners ?? []),
  ];
  const lower = texts.map((text) => text?.toLowerCase() ?? "");
  return words.every((word) => lower.some((text) => text.includes(word)));
}
