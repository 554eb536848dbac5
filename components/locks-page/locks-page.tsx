"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { memo, useRef, useState } from "react";
import { StaleOverlay } from "@/components/app/stale-overlay.tsx";
import { buildTargetHref } from "@/components/app/target-link.tsx";
import { useReleaseBlockedReason } from "@/components/app/use-blocked-reason.ts";
import {
  EventPanelPlaceholder,
  EventTickerPlaceholder,
} from "@/components/events/feed/event-placeholders.tsx";
import { FacetSidebar } from "@/components/facets/facet-sidebar.tsx";
import { buildLockHref, toLockPath } from "@/components/lock-facts/lock-path.ts";
import type { BulkSelection } from "@/components/release/bulk/bulk-state.ts";
import { ErrorBoundary } from "@/components/ui/error-boundary.tsx";
import { useToast } from "@/components/ui/overlay/toast.tsx";
import { useEventCallback } from "@/components/ui/use-event-callback.ts";
import { useShortcuts } from "@/components/ui/use-shortcuts.ts";
import { loadPart } from "@/lib/api/load-part.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { locks } from "@/lib/i18n/en/locks.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useTargetName } from "@/lib/queries/targets.ts";
import { ListHeader } from "./list-header.tsx";
import { LocksOverlays } from "./locks-overlays.tsx";
import { TableArea } from "./table-area.tsx";
import { useCopySheet } from "./use-copy-sheet.ts";
import { useLocksCommands } from "./use-locks-commands.ts";
import { type LocksView, useLocksView } from "./use-locks-view.ts";
import { useReleaseSheet } from "./use-release-sheet.ts";
import { useSelection } from "./use-selection.ts";

const EventPanel = dynamic(
  loadPart(() => import("@/components/events/feed/event-panel.tsx").then((module) => module.EventPanel)),
  { ssr: false, loading: () => <EventPanelPlaceholder /> },
);
const EventTicker = dynamic(
  loadPart(() => import("@/components/events/feed/event-ticker.tsx").then((module) => module.EventTicker)),
  { ssr: false, loading: () => <EventTickerPlaceholder /> },
);
const SelectionBar = dynamic(
  loadPart(() => import("./selection-bar.tsx").then((module) => module.SelectionBar)),
  {
    ssr: false,
  },
);
// Up to ten windows arrive per second. These components are memoized, so only the table renders for each window.
const MemoFacetSidebar = memo(FacetSidebar);
const MemoEventPanel = memo(EventPanel);
const MemoEventTicker = memo(EventTicker);
const NO_LOCKS: readonly Lock[] = [];

export function LocksPage() {
  const { places } = useMessages(shell);
  const messages = useMessages(locks);
  const place = useRef<HTMLDivElement>(null);
  const view = useLocksView(place);
  const { filter, table } = view;
  const items = table.window?.items ?? NO_LOCKS;
  const releaseSheet = useReleaseSheet(place, items);
  const copying = useCopySheet(place);
  const selection = useSelection(items.filter((lock) => !table.ends.has(toLockPath(lock))));
  const [bulk, setBulk] = useState<BulkSelection | null>(null);
  const blocked = useReleaseBlockedReason();
  const { note, showToast } = useToast();
  useShortcuts({ p: table.toggle, escape: () => selection.selected.size > 0 && selection.clear() });
  const open = useOpenLockPage(view.settled);
  const search = useEventCallback((next: string) => {
    selection.clear();
    view.setFilter(next);
  });
  const show = useEventCallback((next: string, sort: string) => {
    selection.clear();
    view.show(next, sort);
  });
  const selected = items.find((lock) => toLockPath(lock) === view.focusedPath);
  const actions = { releaseLock: releaseSheet.open, open, clear: () => search("") };
  useLocksCommands({ table, filter, focusedLock: selected, releaseBlocked: blocked, ...actions });
  return (
    <div className="flex min-h-0 flex-1">
      <MemoFacetSidebar filter={filter} fault={view.fault} onFilter={search} />
      <StaleOverlay className="flex min-w-0 flex-1 flex-col gap-2 px-3 pt-2.5">
        <h1 className="sr-only">{messages.title}</h1>
        <ListHeader view={view} showToast={showToast} onFilter={search} onShow={show} />
        <div ref={place} className="flex min-h-0 flex-1 flex-col">
          <ErrorBoundary name={places.locks}>
            <TableArea
              view={view}
              releaseSheet={releaseSheet}
              selection={selection}
              copySheet={copying}
              onOpen={open}
            />
          </ErrorBoundary>
        </div>
        {selection.selected.size > 0 && (
          <SelectionBar
            selection={selection}
            total={table.latest?.total ?? 0}
            filter={filter}
            blocked={blocked}
            onRelease={setBulk}
          />
        )}
        <ErrorBoundary name={places.events}>
          <MemoEventTicker />
        </ErrorBoundary>
      </StaleOverlay>
      <ErrorBoundary name={places.events}>
        <MemoEventPanel />
      </ErrorBoundary>
      {note}
      <LocksOverlays
        copySheet={copying}
        releaseSheet={releaseSheet}
        bulk={bulk}
        showToast={showToast}
        onBulkClose={() => {
          setBulk(null);
          selection.clear();
        }}
        backToTable={() => place.current?.querySelector("section") ?? null}
      />
    </div>
  );
}

function useOpenLockPage(settled: LocksView["settled"]): (lock: Lock) => void {
  const router = useRouter();
  const target = useTargetName();
  return (lock) => void settled().then(() => router.push(buildTargetHref(buildLockHref(lock), target)));
}
