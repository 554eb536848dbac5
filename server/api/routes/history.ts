import { History, type HistoryEntry, HistoryQuery, KeyHistoryQuery } from "../../../lib/contract/event.ts";
import { type Key, keyOfFields } from "../../../lib/keys/key.ts";
import { eventMatcher, eventWords } from "../../../lib/query/event-matcher.ts";
import { keysFor } from "../../auth/principal.ts";
import type { Journal, PastPage } from "../../history/journal.ts";
import type { KeyRange } from "../../redis/glob.ts";
import { json } from "../http/http-exchange.ts";
import { HISTORY, KEY_HISTORY } from "../openapi/examples/locks.ts";
import { type Route, targetRoute } from "../routing/route.ts";

/** What happened, looked up. */
export function historyRoutes(): Route[] {
  return [
    targetRoute({
      method: "GET",
      path: "/history",
      operationId: "listEvents",
      tag: "Looking",
      access: "read",
      summary: "What happened, newest first or as it came",
      description:
        "A page of events by key, owner, type and time, and of the gaps among them in which nobody watched. The same at every instance. `order=oldest_first` tells them as they came; a cursor goes on in the order that is asked for, so that one may turn around at any event.",
      query: HistoryQuery,
      narrows: true,
      response: { status: 200, schema: History, example: HISTORY, description: "One page." },
      handle: ({ target, query, principal }) =>
        json(200, pastOf(target.journal, query, keysFor(principal, "read", target.name))),
    }),
    targetRoute({
      method: "GET",
      path: "/locks/{key}/history",
      operationId: "getLockHistory",
      tag: "Looking",
      access: "read",
      summary: "What happened to one lock, newest first",
      description:
        "A page of its events, and of the gaps among them in which nobody watched. With `at` also who held it at that moment, since when, and how that ended.",
      query: KeyHistoryQuery,
      response: { status: 200, schema: History, example: KEY_HISTORY, description: "One page." },
      handle: ({ target, key, query }) => json(200, pastOfKey(target.journal, key, query)),
    }),
  ];
}

function pastOf(journal: Journal, query: HistoryQuery, within: KeyRange | undefined): History {
  const { limit, order, cursor, from, to, text, ...filter } = query;
  const isWanted = eventsWithin(eventMatcher(filter), within);
  const hasWords = eventWords(text);
  const matches = (entry: HistoryEntry) =>
    isWithin(entry, from, to) && isWanted(entry) && (entry.type === "gap" || hasWords(entry));
  return answerOf(journal.past({ limit, order, cursor, matches }));
}

function pastOfKey(journal: Journal, key: Key, { limit, cursor, at }: KeyHistoryQuery): History {
  const page = answerOf(journal.pastOf(key, limit, cursor));
  return at === undefined ? page : { ...page, holds: journal.holdsAt(key, at) };
}

/** A gap is nobody's, and everybody's. */
export function eventsWithin(
  isWanted: (entry: HistoryEntry) => boolean,
  within: KeyRange | undefined,
): (entry: HistoryEntry) => boolean {
  if (within === undefined) return isWanted;
  return (entry) => (entry.type === "gap" || within.has(keyOfFields(entry))) && isWanted(entry);
}

function isWithin(entry: HistoryEntry, from = 0, to = Number.POSITIVE_INFINITY): boolean {
  return entry.type === "gap" ? entry.to >= from && entry.from <= to : entry.at >= from && entry.at <= to;
}

function answerOf({ items, next, isWhole }: PastPage): History {
  return { items, complete: next === undefined && isWhole, ...(next === undefined ? {} : { next }) };
}
