"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { memo, useCallback, useMemo, useRef, useState } from "react";
import { PanelPlace } from "@/components/events/panel-place.tsx";
import { FacetButton } from "@/components/facets/facet-button.tsx";
import { FacetSide } from "@/components/facets/facet-side.tsx";
import type { BulkWish } from "@/components/free/bulk-state.ts";
import { hrefOf, pathOf } from "@/components/lock/lock-facts.ts";
import { OverviewStrip } from "@/components/overview/overview-strip.tsx";
import { Boundary } from "@/components/shell/boundary.tsx";
import { isNeverReached } from "@/components/shell/connection.ts";
import { Greyed } from "@/components/shell/greyed.tsx";
import { hrefAt } from "@/components/shell/target-link.tsx";
import { useFreeBlock } from "@/components/shell/use-block.ts";
import { useBriefNote } from "@/components/ui/brief-note.tsx";
import { SearchBox } from "@/components/ui/search-box.tsx";
import { useKeys } from "@/components/ui/use-keys.ts";
import { useSteady } from "@/components/ui/use-steady.ts";
import { faultyComparison } from "@/lib/contract/filter.ts";
import { keyOfFields } from "@/lib/contract/key.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { useLive } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/live/targets.ts";
import type { Words } from "@/lib/words/all-words.ts";
import { locks } from "@/lib/words/en/locks.tsx";
import { problems } from "@/lib/words/en/problems.ts";
import { shell } from "@/lib/words/en/shell.tsx";
import { useSay, useWords } from "@/lib/words/words.tsx";
import { FILTER_CHARACTERS_MAX } from "./list-limits.ts";
import { loadCompletionIn } from "./load-completion.ts";
import { LocksToolbar } from "./locks-toolbar.tsx";
import { NotificationsHint } from "./notifications-hint.tsx";
import { Unreachable } from "./unreachable.tsx";
import { type Copying, useCopying } from "./use-copying.ts";
import { type Freeing, useFreeing } from "./use-freeing.ts";
import { useLocksCommands } from "./use-locks-commands.ts";
import { type LocksView, useLocksView } from "./use-locks-view.ts";
import { type Picking, usePicking } from "./use-picking.ts";
import { useSavedViews } from "./use-saved-views.ts";
import { ViewsBar } from "./views-bar.tsx";

/** Shown with the first rows, which come later than the page: it is on its way while they are. */
const loadTable = () => import("./locks-table.tsx").then((module) => module.LocksTable);
const LocksTable = dynamic(loadTable, { ssr: false });
if (typeof window !== "undefined") loadTable().catch(() => undefined);
const EventPanel = dynamic(
  () => import("@/components/events/event-panel.tsx").then((module) => module.EventPanel),
  {
    ssr: false,
    loading: () => <PanelPlace />,
  },
);
const FreeSheet = dynamic(
  () => import("@/components/free/free-sheet.tsx").then((module) => module.FreeSheet),
  {
    ssr: false,
  },
);
const BulkSheet = dynamic(
  () => import("@/components/free/bulk-sheet.tsx").then((module) => module.BulkSheet),
  {
    ssr: false,
  },
);
const NothingHeld = dynamic(() => import("./nothing-held.tsx").then((module) => module.NothingHeld), {
  ssr: false,
});
const NothingFound = dynamic(() => import("./empty-locks.tsx").then((module) => module.NothingFound), {
  ssr: false,
});
const NotASearch = dynamic(() => import("./empty-locks.tsx").then((module) => module.NotASearch), {
  ssr: false,
});
const NeverReached = dynamic(() => import("./empty-locks.tsx").then((module) => module.NeverReached), {
  ssr: false,
});
const CopyMenu = dynamic(() => import("@/components/lock/copy-menu.tsx").then((module) => module.CopyMenu), {
  ssr: false,
});
const PickBar = dynamic(() => import("./pick-bar.tsx").then((module) => module.PickBar), { ssr: false });
// A window comes ten times a second, and the table is all that is drawn again for it.
const Facets = memo(FacetSide);
const FacetsButton = memo(FacetButton);
const Overview = memo(OverviewStrip);
const Search = memo(SearchBox);
const Hint = memo(NotificationsHint);
const Events = memo(EventPanel);
const NO_LOCKS: readonly Lock[] = [];

export function LocksPage() {
  const { comparison } = useWords(problems);
  const names = useWords(shell);
  const parts = names.parts;
  const words = useWords(locks);
  const say = useSay();
  const loadCompletion = useMemo(() => loadCompletionIn(say), [say]);
  const place = useRef<HTMLDivElement>(null);
  const view = useLocksView(place);
  const { filter, table } = view;
  const items = table.window?.items ?? NO_LOCKS;
  const freeing = useFreeing(place, items);
  const picking = usePicking(items.filter((lock) => !table.ends.has(pathOf(lock))));
  const [bulk, setBulk] = useState<BulkWish | null>(null);
  const live = useLive();
  const blocked = useFreeBlock();
  const copying = useCopying(place);
  const { note, tell } = useBriefNote();
  useKeys({
    p: table.toggle,
    escape: () => picking.picked.size > 0 && picking.clear(),
  });
  const open = useOpenLock();
  const search = useSteady((next: string) => {
    picking.clear();
    view.setFilter(next);
  });
  const faultOf = useCallback((text: string) => faultText(text, comparison), [comparison]);
  const saved = useSavedViews(view, (next, sort) => {
    picking.clear();
    view.show(next, sort);
  });
  const shown = view.fault === undefined ? saved.shown : undefined;
  useLocksCommands({
    table,
    filter,
    selected: items.find((lock) => pathOf(lock) === view.selected),
    freeBlocked: blocked,
    free: freeing.open,
    open,
    clear: () => search(""),
  });
  return (
    <div className="flex min-h-0 flex-1">
      {!isNeverReached(live) && <Facets filter={filter} fault={view.fault} onFilter={search} />}
      <Greyed className="flex min-w-0 flex-1 flex-col gap-2 px-3 pt-3 sm:px-4">
        <h1 className="sr-only">{words.title}</h1>
        {!isNeverReached(live) && (
          <Boundary name={parts.overview}>
            <Overview onFilter={search} />
          </Boundary>
        )}
        <div className="flex flex-wrap items-center justify-between gap-2 sm:flex-nowrap">
          <ViewsBar
            filter={filter}
            window={shown === undefined ? undefined : table.latest}
            saved={saved}
            tell={tell}
            onFilter={search}
          />
          <LocksToolbar table={table} shown={shown} tell={tell} />
        </div>
        <div className="flex gap-2">
          <FacetsButton filter={filter} fault={view.fault} onFilter={search} />
          <Search
            value={filter}
            onChange={search}
            label={words.search}
            placeholder={words.searchHint}
            maxLength={FILTER_CHARACTERS_MAX}
            loadCompletion={loadCompletion}
            faultOf={faultOf}
          />
        </div>
        <Hint />
        <div ref={place} className="flex min-h-0 flex-1 flex-col">
          <Boundary name={names.places.locks}>
            <Table view={view} freeing={freeing} picking={picking} copying={copying} />
          </Boundary>
        </div>
        {picking.picked.size > 0 && (
          <PickBar
            picking={picking}
            total={table.latest?.total ?? 0}
            filter={filter}
            blocked={blocked}
            onFree={setBulk}
          />
        )}
      </Greyed>
      <Boundary name={names.places.events}>
        <Events />
      </Boundary>
      {note}
      {copying.lock !== null && (
        <CopyMenu
          lockKey={keyOfFields(copying.lock)}
          lock={copying.lock}
          anchor={copying.anchor}
          tell={tell}
          onClose={copying.close}
        />
      )}
      {bulk !== null && (
        <Boundary name={parts.free} place="overlay">
          <BulkSheet
            wish={bulk}
            onClose={() => {
              setBulk(null);
              picking.clear();
            }}
            finalFocus={() => place.current?.querySelector("section") ?? null}
          />
        </Boundary>
      )}
      {freeing.lock !== null && (
        <Boundary name={parts.free} place="overlay">
          <FreeSheet
            key={pathOf(freeing.lock)}
            lock={freeing.lock}
            onClose={freeing.close}
            finalFocus={freeing.backToRow}
          />
        </Boundary>
      )}
    </div>
  );
}

function useOpenLock(): (lock: Lock) => void {
  const router = useRouter();
  const target = useTargetName();
  return (lock) => router.push(hrefAt(hrefOf(lock), target));
}

function faultText(filter: string, words: Words["problems"]["comparison"]): string | undefined {
  const fault = faultyComparison(filter);
  return fault && words[fault.wants](fault.field);
}

interface TableProps {
  view: LocksView;
  freeing: Freeing;
  picking: Picking;
  copying: Copying;
}

function Table({ view, freeing, picking, copying }: TableProps) {
  const live = useLive();
  const open = useOpenLock();
  const freeBlocked = useFreeBlock();
  const { window } = view.table;
  if (view.fault !== undefined) {
    return <NotASearch onClear={() => view.setFilter("")} />;
  }
  if (window === undefined) {
    if (live.connection === "stale") return <Unreachable />;
    return isNeverReached(live) ? <NeverReached /> : null;
  }
  return (
    <LocksTable
      list={view.table}
      window={window}
      sort={view.sort}
      selected={view.selected}
      onSort={view.setSort}
      onRows={view.showRows}
      onOpen={open}
      select={view.select}
      free={freeing.open}
      pick={picking.toggle}
      copy={copying.open}
      picked={picking.picked}
      onPickAll={picking.toggleAll}
      freeBlocked={freeBlocked}
    >
      {window.total === 0 && view.filter !== "" && (
        <NothingFound filter={view.filter} onClear={() => view.setFilter("")} />
      )}
      {window.total === 0 && view.filter === "" && <NothingHeld watch={live.hello?.watch ?? []} />}
    </LocksTable>
  );
}
