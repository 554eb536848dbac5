import { History, type HistoryEntry, HistoryQuery, KeyHistoryQuery } from "../../../lib/contract/event.ts";
import { eventMatcher, eventWords } from "../../../lib/contract/event-filter.ts";
import type { Key } from "../../../lib/contract/key.ts";
import type { Journal, PastPage } from "../../history/journal.ts";
import { json } from "../http.ts";
import { type Route, targetRoute } from "../route.ts";

/** What happened, looked up. */
export function historyRoutes(): Route[] {
  return [
    targetRoute({
      method: "GET",
      path: "/history",
      access: "read",
      summary: "What happened, newest first",
      description:
        "A page of events by key, owner, type and time, and of the gaps among them in which nobody watched. The same at every instance.",
      query: HistoryQuery,
      response: { status: 200, schema: History, description: "One page." },
      handle: ({ target, query }) => json(200, pastOf(target.journal, query)),
    }),
    targetRoute({
      method: "GET",
      path: "/locks/{key}/history",
      access: "read",
      summary: "What happened to one lock, newest first",
      description:
        "A page of its events, and of the gaps among them in which nobody watched. With `at` also who held it at that moment, since when, and how that ended.",
      query: KeyHistoryQuery,
      response: { status: 200, schema: History, description: "One page." },
      handle: ({ target, key, query }) => json(200, pastOfKey(target.journal, key, query)),
    }),
  ];
}

function pastOf(journal: Journal, { limit, cursor, from, to, text, ...filter }: HistoryQuery): History {
  const isWanted = eventMatcher(filter);
  const hasWords = eventWords(text);
  const matches = (entry: HistoryEntry) =>
    isWithin(entry, from, to) && isWanted(entry) && (entry.type === "gap" || hasWords(entry));
  return answerOf(journal.past({ limit, before: cursor, matches }));
}

function pastOfKey(journal: Journal, key: Key, { limit, cursor, at }: KeyHistoryQuery): History {
  const page = answerOf(journal.pastOf(key, limit, cursor));
  return at === undefined ? page : { ...page, holds: journal.holdsAt(key, at) };
}

function isWithin(entry: HistoryEntry, from = 0, to = Number.POSITIVE_INFINITY): boolean {
  return entry.type === "gap" ? entry.to >= from && entry.from <= to : entry.at >= from && entry.at <= to;
}

function answerOf({ items, next, isWhole }: PastPage): History {
  return { items, complete: next === undefined && isWhole, ...(next === undefined ? {} : { next }) };
}
