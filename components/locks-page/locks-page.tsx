"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { memo, useRef, useState } from "react";
import { isNeverReached } from "@/components/app/connection.ts";
import { Greyed } from "@/components/app/stale-overlay.tsx";
import { hrefAt } from "@/components/app/target-link.tsx";
import { useFreeBlock } from "@/components/app/use-blocked-reason.ts";
import { PanelPlace } from "@/components/events/feed/panel-visibility.tsx";
import { FacetSide } from "@/components/facets/facet-sidebar.tsx";
import { hrefOf, pathOf } from "@/components/lock-facts/lock-path.ts";
import type { BulkWish } from "@/components/release/bulk-state.ts";
import { Boundary } from "@/components/ui/error-boundary.tsx";
import { useBriefNote } from "@/components/ui/toast.tsx";
import { useSteady } from "@/components/ui/use-event-callback.ts";
import { useKeys } from "@/components/ui/use-shortcuts.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { locks } from "@/lib/i18n/en/locks.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useLive } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { AboveTable } from "./list-header.tsx";
import { LocksOverlays } from "./locks-overlays.tsx";
import { TablePlace } from "./table-area.tsx";
import { useCopying } from "./use-copy-sheet.ts";
import { useLocksCommands } from "./use-locks-commands.ts";
import { type LocksView, useLocksView } from "./use-locks-view.ts";
import { useFreeing } from "./use-release-sheet.ts";
import { usePicking } from "./use-selection.ts";

const EventPanel = dynamic(
  () => import("@/components/events/feed/event-panel.tsx").then((module) => module.EventPanel),
  { ssr: false, loading: () => <PanelPlace /> },
);
const PickBar = dynamic(() => import("./selection-bar.tsx").then((module) => module.PickBar), { ssr: false });
// A window comes ten times a second, and the table is all that is drawn again for it.
const Facets = memo(FacetSide);
const Events = memo(EventPanel);
const NO_LOCKS: readonly Lock[] = [];

export function LocksPage() {
  const { places } = useWords(shell);
  const words = useWords(locks);
  const place = useRef<HTMLDivElement>(null);
  const view = useLocksView(place);
  const { filter, table } = view;
  const items = table.window?.items ?? NO_LOCKS;
  const freeing = useFreeing(place, items);
  const copying = useCopying(place);
  const picking = usePicking(items.filter((lock) => !table.ends.has(pathOf(lock))));
  const [bulk, setBulk] = useState<BulkWish | null>(null);
  const isReached = !isNeverReached(useLive());
  const blocked = useFreeBlock();
  const { note, tell } = useBriefNote();
  useKeys({ p: table.toggle, escape: () => picking.picked.size > 0 && picking.clear() });
  const open = useOpenLock(view.settled);
  const search = useSteady((next: string) => {
    picking.clear();
    view.setFilter(next);
  });
  const show = useSteady((next: string, sort: string) => {
    picking.clear();
    view.show(next, sort);
  });
  const selected = items.find((lock) => pathOf(lock) === view.selected);
  const actions = { free: freeing.open, open, clear: () => search("") };
  useLocksCommands({ table, filter, selected, freeBlocked: blocked, ...actions });
  return (
    <div className="flex min-h-0 flex-1">
      {isReached && <Facets filter={filter} fault={view.fault} onFilter={search} />}
      <Greyed className="flex min-w-0 flex-1 flex-col gap-2 px-3 pt-3 sm:px-4">
        <h1 className="sr-only">{words.title}</h1>
        <AboveTable view={view} isReached={isReached} tell={tell} onFilter={search} onShow={show} />
        <div ref={place} className="flex min-h-0 flex-1 flex-col">
          <Boundary name={places.locks}>
            <TablePlace view={view} freeing={freeing} picking={picking} copying={copying} onOpen={open} />
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
      <Boundary name={places.events}>
        <Events />
      </Boundary>
      {note}
      <LocksOverlays
        copying={copying}
        freeing={freeing}
        bulk={bulk}
        tell={tell}
        onBulkClose={() => {
          setBulk(null);
          picking.clear();
        }}
        backToTable={() => place.current?.querySelector("section") ?? null}
      />
    </div>
  );
}

function useOpenLock(settled: LocksView["settled"]): (lock: Lock) => void {
  const router = useRouter();
  const target = useTargetName();
  return (lock) => void settled().then(() => router.push(hrefAt(hrefOf(lock), target)));
}
