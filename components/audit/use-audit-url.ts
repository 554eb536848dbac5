"use client";

import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { toEndOfSecond } from "@/components/ui/local-date-time.ts";
import type { AuditView } from "@/lib/queries/audit.ts";
import type { AuditTimeSpan } from "./audit-texts.ts";

const PARSERS = {
  who: parseAsString,
  action: parseAsString,
  /** The target to filter by. The URL parameter is named `at` because `target` is the target of the current page. */
  at: parseAsString,
  key: parseAsString,
  outcome: parseAsString,
  q: parseAsString,
  from: parseAsInteger,
  to: parseAsInteger,
};

type TextParameter = Exclude<keyof typeof PARSERS, "from" | "to">;
const TEXT_CHARACTERS_MAX = 300;
/**
 * The latest time that the filter accepts, in Unix milliseconds. One second before the maximum of `Date`, because the
 * filter extends `to` to the end of its second.
 */
const TIMESTAMP_MAX_MS = 8_640_000_000_000_000 - 1000;

/**
 * Returns the filters in the URL and functions that change them. Because the URL contains the filters, a shared link
 * shows the same actions.
 */
export function useAuditUrl() {
  const [url, set] = useQueryStates(PARSERS);
  const word = (name: TextParameter) => url[name]?.slice(0, TEXT_CHARACTERS_MAX) || undefined;
  const span: AuditTimeSpan = { from: clampTimestamp(url.from), to: clampTimestamp(url.to) };
  const view: AuditView = {
    who: word("who"),
    action: word("action"),
    target: word("at"),
    key: word("key"),
    outcome: word("outcome"),
    text: word("q"),
    from: span.from,
    to: span.to === undefined ? undefined : toEndOfSecond(span.to),
  };
  return {
    view,
    /** The time range as entered. `view.to` is the last millisecond of the entered second instead. */
    span,
    isFiltered: Object.values(view).some((value) => value !== undefined),
    setWord: (name: TextParameter, text: string) => void set({ [name]: text.trim() === "" ? null : text }),
    setSpan: ({ from, to }: AuditTimeSpan) => void set({ from: from ?? null, to: to ?? null }),
    clear: () =>
      void set({
        who: null,
        action: null,
        at: null,
        key: null,
        outcome: null,
        q: null,
        from: null,
        to: null,
      }),
  };
}

export type AuditUrl = ReturnType<typeof useAuditUrl>;

function clampTimestamp(at: number | null): number | undefined {
  return at === null || at < 0 || at > TIMESTAMP_MAX_MS ? undefined : at;
}
