"use client";

import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { endOfSecond } from "@/components/ui/local-date-time.ts";
import type { AuditView } from "@/lib/queries/audit.ts";
import type { Span } from "./audit-texts.ts";

const PARSERS = {
  who: parseAsString,
  action: parseAsString,
  /** Not `target`: that is the one that the page stands at, and the audit is of all. */
  at: parseAsString,
  key: parseAsString,
  outcome: parseAsString,
  q: parseAsString,
  from: parseAsInteger,
  to: parseAsInteger,
};

type Word = Exclude<keyof typeof PARSERS, "from" | "to">;
const WORDS_MAX = 300;
/** The last second that a date can tell. */
const MOMENT_MAX = 8_640_000_000_000_000 - 1000;

/** The filters live in the address: a link shows what its sender saw. */
export function useAuditUrl() {
  const [url, set] = useQueryStates(PARSERS);
  const word = (name: Word) => url[name]?.slice(0, WORDS_MAX) || undefined;
  const span: Span = { from: momentOf(url.from), to: momentOf(url.to) };
  const view: AuditView = {
    who: word("who"),
    action: word("action"),
    target: word("at"),
    key: word("key"),
    outcome: word("outcome"),
    text: word("q"),
    from: span.from,
    to: span.to === undefined ? undefined : endOfSecond(span.to),
  };
  return {
    view,
    /** As it was chosen. */
    span,
    isFiltered: Object.values(view).some((value) => value !== undefined),
    setWord: (name: Word, text: string) => void set({ [name]: text.trim() === "" ? null : text }),
    setSpan: ({ from, to }: Span) => void set({ from: from ?? null, to: to ?? null }),
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

function momentOf(at: number | null): number | undefined {
  return at === null || at < 0 || at > MOMENT_MAX ? undefined : at;
}
