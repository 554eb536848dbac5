"use client";

import dynamic from "next/dynamic";
import { parseAsString, useQueryState } from "nuqs";
import { memo, useCallback, useMemo } from "react";
import { FacetButton } from "@/components/facets/facet-button.tsx";
import { OverviewStrip } from "@/components/overview/overview-strip.tsx";
import { OverviewKey } from "@/components/overview/overview-toggle.tsx";
import { Boundary } from "@/components/ui/error-boundary.tsx";
import { SearchBox } from "@/components/ui/search-box.tsx";
import type { BriefNote } from "@/components/ui/toast.tsx";
import { locks } from "@/lib/i18n/en/locks.tsx";
import type { Words } from "@/lib/i18n/en/messages.ts";
import { problems } from "@/lib/i18n/en/problems.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useSay, useWords } from "@/lib/i18n/messages-provider.tsx";
import { faultyComparison } from "@/lib/query/filter.ts";
import { FILTER_CHARACTERS_MAX } from "../../lib/contract/limits.ts";
import { NotificationsHint } from "./notifications-hint.tsx";
import { loadCompletionIn } from "./search/load-completion.ts";
import type { LocksView } from "./use-locks-view.ts";

/** Their figures come with the first rows, and so do they, into places that are kept for them. */
const loadBar = () => import("./toolbar/list-bar.tsx").then((module) => module.ListBar);
const ListBar = dynamic(loadBar, { ssr: false });
if (typeof window !== "undefined") loadBar().catch(() => undefined);
const PhoneTools = dynamic(() => import("./toolbar/phone-tools.tsx").then((module) => module.PhoneTools), {
  ssr: false,
  loading: () => <div className="w-24 shrink-0 sm:hidden" />,
});
const FacetsButton = memo(FacetButton);
const Overview = memo(OverviewStrip);
const ToOverview = memo(OverviewKey);
const Search = memo(SearchBox);
const Hint = memo(NotificationsHint);

interface AboveTableProps {
  view: LocksView;
  /** Redis was reached at least once. */
  isReached: boolean;
  /** Says what was done with the list, at the foot of the page. */
  tell: BriefNote["tell"];
  onFilter(filter: string): void;
  onShow(filter: string, sort: string): void;
}

/** Overview, views and search. On a phone two lines: views, then the search and what is done with the list. */
export function AboveTable({ view, isReached, tell, onFilter, onShow }: AboveTableProps) {
  const { parts, places } = useWords(shell);
  const { filter, sort, fault, table } = view;
  const [columns] = useQueryState("cols", parseAsString);
  const shown = { filter, sort, columns };
  return (
    <>
      {isReached && (
        <Boundary name={parts.overview}>
          <Overview onFilter={onFilter} />
        </Boundary>
      )}
      <div className="flex min-h-7 items-center gap-2 max-sm:min-h-11">
        {isReached && <ToOverview />}
        <Boundary name={parts.views}>
          <ListBar
            shown={shown}
            fault={fault}
            table={table}
            tell={tell}
            onFilter={onFilter}
            onShow={onShow}
          />
        </Boundary>
      </div>
      <div className="flex gap-2 max-sm:[&_input]:h-[42px] max-sm:[&_kbd]:hidden">
        <FacetsButton filter={filter} fault={fault} onFilter={onFilter} />
        <LocksSearch filter={filter} onFilter={onFilter} />
        <Boundary name={parts.views}>
          <PhoneTools shown={fault === undefined ? shown : undefined} table={table} tell={tell} />
        </Boundary>
      </div>
      <Boundary name={places.locks}>
        <Hint />
      </Boundary>
    </>
  );
}

function LocksSearch({ filter, onFilter }: { filter: string; onFilter(filter: string): void }) {
  const words = useWords(locks);
  const { comparison } = useWords(problems);
  const say = useSay();
  const loadCompletion = useMemo(() => loadCompletionIn(say), [say]);
  const faultOf = useCallback((text: string) => faultText(text, comparison), [comparison]);
  return (
    <Search
      value={filter}
      onChange={onFilter}
      label={words.search}
      placeholder={words.searchHint}
      maxLength={FILTER_CHARACTERS_MAX}
      loadCompletion={loadCompletion}
      faultOf={faultOf}
    />
  );
}

function faultText(filter: string, words: Words["problems"]["comparison"]): string | undefined {
  const fault = faultyComparison(filter);
  return fault && words[fault.wants](fault.field);
}
