"use client";

import dynamic from "next/dynamic";
import { parseAsString, useQueryState } from "nuqs";
import { memo, useCallback, useMemo } from "react";
import { FacetButton } from "@/components/facets/facet-button.tsx";
import { FilterChips } from "@/components/facets/lazy-filter-chips.tsx";
import { OverviewStrip } from "@/components/overview/overview-strip.tsx";
import { OverviewToggle } from "@/components/overview/overview-toggle.tsx";
import { ErrorBoundary } from "@/components/ui/error-boundary.tsx";
import type { Toast } from "@/components/ui/overlay/toast.tsx";
import { SearchBox } from "@/components/ui/search/search-box.tsx";
import { loadPart } from "@/lib/api/load-part.ts";
import { locks } from "@/lib/i18n/en/locks.tsx";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { problems } from "@/lib/i18n/en/problems.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useLazyMessages, useMessages } from "@/lib/i18n/messages-provider.tsx";
import { findInvalidComparison } from "@/lib/query/filter.ts";
import { FILTER_CHARACTERS_MAX } from "../../lib/contract/limits.ts";
import { NotificationsHint } from "./notifications-hint.tsx";
import { loadFilterCompletion } from "./search/load-completion.ts";
import type { LocksView } from "./use-locks-view.ts";

/**
 * Loads the code of the list bar. Called as soon as this module loads, so that the list bar appears together with the
 * first rows.
 */
const loadListBar = loadPart(() => import("./toolbar/list-bar.tsx").then((module) => module.ListBar));
const ListBar = dynamic(loadListBar, { ssr: false });
if (typeof window !== "undefined") loadListBar().catch(() => undefined);
const PhoneTools = dynamic(
  loadPart(() => import("./toolbar/phone-tools.tsx").then((module) => module.PhoneTools)),
  {
    ssr: false,
    loading: () => <div className="w-24 shrink-0 sm:hidden" />,
  },
);
const MemoFacetButton = memo(FacetButton);
const MemoFilterChips = memo(FilterChips);
const MemoOverviewStrip = memo(OverviewStrip);
const MemoOverviewToggle = memo(OverviewToggle);
const MemoSearchBox = memo(SearchBox);
const MemoNotificationsHint = memo(NotificationsHint);

interface ListHeaderProps {
  view: LocksView;
  /** Shows the result of an action on the list in a toast at the bottom of the page. */
  showToast: Toast["showToast"];
  onFilter(filter: string): void;
  onShow(filter: string, sort: string): void;
}

/**
 * Shows the overview, the views, the search and, if needed, a hint about keyspace notifications. On phones, the search
 * and the list tools are on the line below the views.
 */
export function ListHeader({ view, showToast, onFilter, onShow }: ListHeaderProps) {
  const { parts, places } = useMessages(shell);
  const { filter, sort, fault, table } = view;
  const [columns] = useQueryState("cols", parseAsString);
  const shown = { filter, sort, columns };
  return (
    <>
      <ErrorBoundary name={parts.overview}>
        <MemoOverviewStrip onFilter={onFilter} />
      </ErrorBoundary>
      <div className="flex min-h-7 items-center gap-2 max-sm:min-h-11">
        <MemoOverviewToggle />
        <ErrorBoundary name={parts.views}>
          <ListBar
            shown={shown}
            fault={fault}
            table={table}
            showToast={showToast}
            onFilter={onFilter}
            onShow={onShow}
          />
        </ErrorBoundary>
      </div>
      <div className="flex gap-2 max-sm:flex-wrap max-sm:[&_input]:-my-px max-sm:[&_input]:h-11 max-sm:[&_kbd]:hidden">
        <MemoFacetButton filter={filter} fault={fault} onFilter={onFilter} />
        <LocksSearch filter={filter} onFilter={onFilter} />
        <MemoFilterChips filter={filter} onFilter={onFilter} />
        <ErrorBoundary name={parts.views}>
          <PhoneTools shown={fault === undefined ? shown : undefined} table={table} showToast={showToast} />
        </ErrorBoundary>
      </div>
      <ErrorBoundary name={places.locks}>
        <MemoNotificationsHint />
      </ErrorBoundary>
    </>
  );
}

function LocksSearch({ filter, onFilter }: { filter: string; onFilter(filter: string): void }) {
  const messages = useMessages(locks);
  const { comparison } = useMessages(problems);
  const lazyMessages = useLazyMessages();
  const loadCompletion = useMemo(() => loadFilterCompletion(lazyMessages), [lazyMessages]);
  const faultOf = useCallback((text: string) => formatFilterFault(text, comparison), [comparison]);
  return (
    <MemoSearchBox
      value={filter}
      onChange={onFilter}
      label={messages.search}
      placeholder={messages.searchHint}
      maxLength={FILTER_CHARACTERS_MAX}
      loadCompletion={loadCompletion}
      faultOf={faultOf}
    />
  );
}

function formatFilterFault(filter: string, messages: Messages["problems"]["comparison"]): string | undefined {
  const fault = findInvalidComparison(filter);
  return fault && messages[fault.expected](fault.field);
}
