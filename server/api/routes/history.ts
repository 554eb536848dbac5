import { History, type HistoryEntry, HistoryQuery, KeyHistoryQuery } from "../../../lib/contract/event.ts";
import { type Key, parseKeyFields } from "../../../lib/keys/key.ts";
import { createEventMatcher, createEventTextMatcher } from "../../../lib/query/event-matcher.ts";
import { getAllowedKeys } from "../../auth/principal.ts";
import type { HistoryPage, Journal } from "../../history/journal.ts";
import type { KeyPatternSet } from "../../redis/glob.ts";
import type { CpuBudget } from "../http/cpu-budgets.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { HISTORY, KEY_HISTORY } from "../openapi/examples/locks.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";

export function createHistoryRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "GET",
      path: "/history",
      operationId: "listEvents",
      tag: "Events",
      access: "read",
      summary: "List events",
      description:
        "Returns the events that match the filters, and the gaps in which no instance watched the target. All instances return the same history. A cursor is valid in both orders, so you can change direction at any event.",
      query: HistoryQuery,
      filtersByGrant: true,
      expensive: true,
      response: { status: 200, schema: History, example: HISTORY, description: "A page of events." },
      handle: async ({ target, query, principal, cpu }) =>
        createJsonResponse(
          200,
          await readHistory(target.journal, query, getAllowedKeys(principal, "read", target.name), cpu),
        ),
    }),
    defineTargetRoute({
      method: "GET",
      path: "/locks/{key}/history",
      operationId: "listLockEvents",
      tag: "Events",
      access: "read",
      summary: "List the events of a lock",
      description:
        "Returns the events of the lock, newest first, and the gaps in which no instance watched the target. With `at`, also returns the holds at that time, with their start and end.",
      query: KeyHistoryQuery,
      expensive: true,
      response: { status: 200, schema: History, example: KEY_HISTORY, description: "A page of events." },
      handle: ({ target, key, query }) => createJsonResponse(200, readKeyHistory(target.journal, key, query)),
    }),
  ];
}

async function readHistory(
  journal: Journal,
  query: HistoryQuery,
  allowedKeys: KeyPatternSet | undefined,
  cpu: CpuBudget,
): Promise<History> {
  const { limit, order, cursor, from, to, text, ...filter } = query;
  const isWanted = restrictEvents(createEventMatcher(filter), allowedKeys);
  const matchesText = createEventTextMatcher(text);
  const matches = (entry: HistoryEntry) =>
    isInPeriod(entry, from, to) && isWanted(entry) && (entry.type === "gap" || matchesText(entry));
  return toHistory(await journal.listHistory({ limit, order, cursor, matches }, cpu));
}

function readKeyHistory(journal: Journal, key: Key, { limit, cursor, at }: KeyHistoryQuery): History {
  const page = toHistory(journal.listKeyHistory(key, limit, cursor));
  return at === undefined ? page : { ...page, holds: journal.findHoldsAt(key, at) };
}

/**
 * Restricts an event filter to the keys that the caller is allowed to read. Gaps are not restricted, because they
 * affect all keys.
 */
export function restrictEvents(
  isWanted: (entry: HistoryEntry) => boolean,
  allowedKeys: KeyPatternSet | undefined,
): (entry: HistoryEntry) => boolean {
  if (allowedKeys === undefined) return isWanted;
  return (entry) => (entry.type === "gap" || allowedKeys.has(parseKeyFields(entry))) && isWanted(entry);
}

function isInPeriod(entry: HistoryEntry, from = 0, to = Number.POSITIVE_INFINITY): boolean {
  return entry.type === "gap" ? entry.to >= from && entry.from <= to : entry.at >= from && entry.at <= to;
}

function toHistory({ items, next, isComplete }: HistoryPage): History {
  return { items, complete: next === undefined && isComplete, ...(next === undefined ? {} : { next }) };
}
