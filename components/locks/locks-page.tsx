"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { memo, useRef, useState } from "react";
import { PanelPlace } from "@/components/events/panel-place.tsx";
import { FacetSide } from "@/components/facets/facet-side.tsx";
import type { BulkWish } from "@/components/free/bulk-state.ts";
import { hrefOf, pathOf } from "@/components/lock/lock-path.ts";
import { Boundary } from "@/components/shell/boundary.tsx";
import { isNeverReached } from "@/components/shell/connection.ts";
import { Greyed } from "@/components/shell/greyed.tsx";
import { hrefAt } from "@/components/shell/target-link.tsx";
import { useFreeBlock } from "@/components/shell/use-block.ts";
import { useBriefNote } from "@/components/ui/brief-note.tsx";
import { useKeys } from "@/components/ui/use-keys.ts";
import { useSteady } from "@/components/ui/use-steady.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { useLive } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/live/targets.ts";
import { locks } from "@/lib/words/en/locks.tsx";
import { shell } from "@/lib/words/en/shell.tsx";
import { useWords } from "@/lib/words/words.tsx";
import { AboveTable } from "./above-table.tsx";
import { LocksOverlays } from "./locks-overlays.tsx";
import { TablePlace } from "./table-place.tsx";
import { useCopying } from "./use-copying.ts";
import { useFreeing } from "./use-freeing.ts";
import { useLocksCommands } from "./use-locks-commands.ts";
import { type LocksView, useLocksView } from "./use-locks-view.ts";
import { usePicking } from "./use-picking.ts";

const EventPanel = dynamic(
  () => import("@/components/events/event-panel.tsx").then((module) => module.EventPanel),
  { ssr: false, loading: () => <PanelPlace /> },
);
const PickBar = dynamic(() => import("./pick-bar.tsx").then((module) => module.PickBar), { ssr: false });
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
